// Moves data in every way and compares with the host: copies and fills of all shapes, symbols, managed and
// registered memory, parameters of many kinds, graphs.
#include <cuda_runtime.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int failures = 0;
#define CHECK(condition) \
  do { if (!(condition)) { ++failures; std::printf("line %d: %s (%s)\n", __LINE__, #condition, cudaGetErrorString(cudaGetLastError())); } } while (0)
#define OK(call) CHECK((call) == cudaSuccess)

__device__ int device_array[8];
__constant__ int constant_array[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__managed__ int managed_number = 41;
__managed__ int managed_array[4] = {1, 2, 3, 4};

struct Odd { char c; double d; short s[3]; };

__global__ void take_all(char a, double b, Odd odd, const int* p, short z, float4 v, int* out) {
  out[0] = a; out[1] = static_cast<int>(b); out[2] = odd.c; out[3] = static_cast<int>(odd.d); out[4] = odd.s[2];
  out[5] = p[1]; out[6] = z; out[7] = static_cast<int>(v.w);
}
struct Three { signed char c[3]; };
__managed__ int taken = 0;
__global__ void take_byte(bool x) { taken = x; }
__global__ void take_short(short x) { taken = x; }
__global__ void take_three(Three x) { taken = x.c[0] * 10000 + x.c[1] * 100 + x.c[2]; }
__global__ void take_word_and_byte(int x, signed char y) { taken = x + y; }
__global__ void read_constants(int* out) { out[threadIdx.x] = constant_array[threadIdx.x] + device_array[threadIdx.x]; }
__global__ void bump() { ++managed_number; managed_array[threadIdx.x] *= 10; }
__global__ void add_to(int* p, int n) { p[threadIdx.x] += n; }
__global__ void dynamic_shared(int* out) {
  extern __shared__ int words[];
  words[threadIdx.x] = threadIdx.x * 3;
  __syncthreads();
  out[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}

static void copies() {
  std::vector<unsigned char> host(4096), back(4096, 0);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i * 7 + 3);
  unsigned char *a, *b;
  OK(cudaMalloc(&a, 4096));
  OK(cudaMalloc(&b, 4096));
  OK(cudaMemcpy(a, host.data(), 4096, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(b, a, 4096, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpyAsync(back.data(), b, 4096, cudaMemcpyDefault));
  OK(cudaDeviceSynchronize());
  CHECK(back == host);
  // rows of 10 bytes, 5 of them
  OK(cudaMemset(b, 0xee, 4096));
  OK(cudaMemcpy2D(b, 64, host.data(), 16, 10, 5, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(back.data(), b, 4096, cudaMemcpyDeviceToHost));
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 64; ++x) CHECK(back[y * 64 + x] == (x < 10 ? host[y * 16 + x] : 0xee));
  // a box of 6 x 3 x 2 out of the middle
  OK(cudaMemset(b, 0, 4096));
  cudaMemcpy3DParms parms{};
  parms.srcPtr = make_cudaPitchedPtr(a, 32, 32, 8);
  parms.srcPos = make_cudaPos(4, 2, 1);
  parms.dstPtr = make_cudaPitchedPtr(b, 16, 16, 4);
  parms.dstPos = make_cudaPos(1, 1, 2);
  parms.extent = make_cudaExtent(6, 3, 2);
  parms.kind = cudaMemcpyDeviceToDevice;
  OK(cudaMemcpy3D(&parms));
  OK(cudaMemcpy(back.data(), b, 4096, cudaMemcpyDeviceToHost));
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 6; ++x) CHECK(back[(z + 2) * 64 + (y + 1) * 16 + x + 1] == host[(z + 1) * 256 + (y + 2) * 32 + x + 4]);
  OK(cudaMemset2D(a, 100, 0x5a, 7, 3));
  OK(cudaMemset3D(make_cudaPitchedPtr(b, 50, 50, 4), 0x11, make_cudaExtent(9, 2, 2)));
  OK(cudaMemcpy(back.data(), a, 400, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 300; ++i) CHECK(back[i] == (i % 100 < 7 ? 0x5a : host[i]));
  OK(cudaMemcpy(back.data(), b, 400, cudaMemcpyDeviceToHost));
  CHECK(back[0] == 0x11 && back[8] == 0x11 && back[50] == 0x11 && back[200] == 0x11 && back[258] == 0x11 && back[100] == 0);
  OK(cudaFree(a));
  OK(cudaFree(b));
}

static void kernels() {
  int* out;
  int host[64] = {};
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMemset(out, 0, sizeof host));
  int pair[2] = {0, 77}, *device_pair;
  OK(cudaMalloc(&device_pair, sizeof pair));
  OK(cudaMemcpy(device_pair, pair, sizeof pair, cudaMemcpyHostToDevice));
  take_all<<<1, 1>>>('a', 12.5, Odd{'o', 99.0, {1, 2, -3}}, device_pair, -5, make_float4(1, 2, 3, 4), out);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  const int expected[] = {'a', 12, 'o', 99, -3, 77, -5, 4};
  CHECK(std::memcmp(host, expected, sizeof expected) == 0);
  const int values[] = {10, 20, 30};
  OK(cudaMemcpyToSymbol(device_array, values, sizeof values, 4));
  OK(cudaMemcpyToSymbol(constant_array, values, sizeof values, 20));
  read_constants<<<1, 8>>>(out);
  OK(cudaMemcpy(host, out, 32, cudaMemcpyDeviceToHost));
  const int sums[] = {1, 12, 23, 34, 5, 10, 20, 30};
  CHECK(std::memcmp(host, sums, sizeof sums) == 0);
  CHECK(managed_number == 41);
  bump<<<1, 4>>>();
  OK(cudaDeviceSynchronize());
  CHECK(managed_number == 42 && managed_array[3] == 40);
  managed_number = 7;
  bump<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  CHECK(managed_number == 8);
  OK(cudaMemcpyToSymbol(managed_number, values, 4));
  CHECK(managed_number == 10);
  static int registered[4] = {1, 2, 3, 4};
  OK(cudaHostRegister(registered, sizeof registered, cudaHostRegisterDefault));
  int* seen = nullptr;
  OK(cudaHostGetDevicePointer(&seen, registered, 0));
  add_to<<<1, 4>>>(seen, 100);
  OK(cudaDeviceSynchronize());
  CHECK(registered[0] == 101 && registered[3] == 104);
  OK(cudaHostUnregister(registered));
  dynamic_shared<<<1, 32, 32 * sizeof(int)>>>(out);
  OK(cudaMemcpy(host, out, 128, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 93 && host[31] == 0);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  int five = 5;
  void* launch_arguments[] = {&out, &five};
  OK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(add_to), launch_arguments));
  OK(cudaMemcpy(host, out, 128, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 98 && host[31] == 5);
  OK(cudaFree(out));
  OK(cudaFree(device_pair));
}

static void count(void* data) { ++*static_cast<int*>(data); }

static void graphs() {
  int *p, host[4] = {}, calls = 0, ten = 10, five = 5;
  OK(cudaMalloc(&p, sizeof host));
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill{};
  fill.dst = p;
  fill.value = 3;
  fill.elementSize = 4;
  fill.width = 4;
  fill.height = 1;
  cudaGraphNode_t set, first, second, copy, host_node;
  OK(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
  cudaKernelNodeParams kernel{};
  void* arguments[] = {&p, &ten};
  kernel.func = reinterpret_cast<void*>(add_to);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(4);
  kernel.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &kernel));
  arguments[1] = &five;
  OK(cudaGraphAddKernelNode(&first, graph, &set, 1, &kernel));
  OK(cudaGraphAddDependencies(graph, &first, &second, nullptr, 1));
  // A circle may be made, but nothing executable of it.
  cudaGraphExec_t exec = nullptr;
  OK(cudaGraphAddDependencies(graph, &second, &set, nullptr, 1));
  CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaErrorInvalidValue);
  OK(cudaGraphRemoveDependencies(graph, &second, &set, nullptr, 1));
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, host, p, sizeof host, cudaMemcpyDeviceToHost));
  cudaHostNodeParams function{count, &calls};
  OK(cudaGraphAddHostNode(&host_node, graph, &copy, 1, &function));
  size_t nodes = 0, edges = 0, roots = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  CHECK(nodes == 5 && edges == 4 && roots == 1);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  ten = 1000;  // arguments are taken when the node is made
  OK(cudaGraphLaunch(exec, 0));
  OK(cudaGraphLaunch(exec, 0));
  OK(cudaDeviceSynchronize());
  CHECK(host[0] == 18 && host[3] == 18 && calls == 2);
  arguments[1] = &ten;
  OK(cudaGraphExecKernelNodeSetParams(exec, second, &kernel));
  OK(cudaGraphLaunch(exec, 0));
  OK(cudaDeviceSynchronize());
  CHECK(host[0] == 1008);
  cudaKernelNodeParams read{};
  OK(cudaGraphKernelNodeGetParams(first, &read));
  CHECK(read.blockDim.x == 4 && *static_cast<int*>(read.kernelParams[1]) == 5);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaFree(p));
}

/// An ELF header whose tables lie beyond the file.
static void damaged_library() {
  unsigned char header[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  header[40 + 5] = 0xff;  // e_shoff
  header[58] = 64;        // e_shentsize
  header[60] = 200;       // e_shnum
  char path[] = "/tmp/lanebank-damaged-XXXXXX";
  const int file = mkstemp(path);
  CHECK(file >= 0 && write(file, header, sizeof header) == sizeof header);
  close(file);
  cudaLibrary_t library = nullptr;
  CHECK(cudaLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0) == cudaErrorInvalidKernelImage);
  cudaGetLastError();
  unlink(path);
}

/// Parameters that end within a word.
static void short_parameters() {
  take_byte<<<1, 1>>>(true);
  OK(cudaDeviceSynchronize());
  CHECK(taken == 1);
  take_short<<<1, 1>>>(-12345);
  OK(cudaDeviceSynchronize());
  CHECK(taken == -12345);
  take_three<<<1, 1>>>(Three{{1, 2, 3}});
  OK(cudaDeviceSynchronize());
  CHECK(taken == 10203);
  take_word_and_byte<<<1, 1>>>(1000, -7);
  OK(cudaDeviceSynchronize());
  CHECK(taken == 993);
}

/// Memory of a graph that is freed outside of it is there again at the next launch.
static void graph_memory_freed_outside() {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t allocation = nullptr, set = nullptr;
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, 0};
  params.bytesize = 64;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &params));
  cudaMemsetParams fill{};
  fill.dst = params.dptr;
  fill.value = 7;
  fill.elementSize = 1;
  fill.width = 64;
  fill.height = 1;
  OK(cudaGraphAddMemsetNode(&set, graph, &allocation, 1, &fill));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int turn = 0; turn < 2; ++turn) {
    char host[64] = "";
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaMemcpy(host, params.dptr, 64, cudaMemcpyDeviceToHost));
    CHECK(host[63] == 7);
    if (turn == 0) OK(cudaFree(params.dptr));
    else OK(cudaFreeAsync(params.dptr, nullptr));
  }
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
}

int main() {
  short_parameters();
  damaged_library();
  copies();
  kernels();
  graphs();
  graph_memory_freed_outside();
  std::printf("%s\n", failures == 0 ? "all right" : "wrong");
  return failures != 0;
}
