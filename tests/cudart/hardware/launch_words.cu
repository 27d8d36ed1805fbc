// Words of constant bank 0 below the parameters, and the special registers that are read from them, for launches of
// several kinds: `launch word value`. Without addresses and what the compiler's own code does not read, unless called with
// an argument.
#include <cuda_runtime.h>

#include <cstdio>

struct Words {
  unsigned words[64];
};

constexpr int registers = 24;

#define READ(n, name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(out[n]))

// `before`: how many words lie between the start of the bank and big.words.
__global__ void dump(unsigned* out, int before, const __grid_constant__ Words big) {
  extern __shared__ unsigned dynamic[];
  if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1 && blockIdx.y == 0) {
    for (int i = 0; i < before; ++i) out[registers + i] = big.words[i - before];
    READ(0, "total_smem_size");
    READ(1, "dynamic_smem_size");
    READ(2, "aggr_smem_size");
    READ(3, "nsmid");
    READ(4, "nwarpid");
    asm volatile("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(out[5]));
    READ(6, "cluster_ctaid.x");
    READ(7, "cluster_ctaid.y");
    READ(8, "cluster_nctaid.x");
    READ(9, "cluster_nctaid.y");
    READ(10, "cluster_nctaid.z");
    READ(11, "cluster_ctarank");
    READ(12, "cluster_nctarank");
    READ(13, "nclusterid.x");
    READ(14, "nclusterid.y");
    READ(15, "clusterid.x");
    READ(16, "reserved_smem_offset_begin");
    READ(17, "reserved_smem_offset_end");
    READ(18, "reserved_smem_offset_cap");
    READ(19, "envreg0");
    READ(20, "lanemask_lt");
    READ(21, "laneid");
  }
  if (out == nullptr) out[0] = dynamic[threadIdx.x];
}

static unsigned* out;
static bool everything;

static bool is_known(int word) {
  const int offset = 4 * word;
  return offset < 0x18 || offset == 0x2c || offset == 0x30 || offset == 0x68 || offset == 0x10c || offset == 0x110 || offset == 0x114 ||
         (offset >= 0x13c && offset < 0x168) || offset == 0x188;
}


static int launch(const char* name, dim3 grid, dim3 block, unsigned dynamic, dim3 cluster, bool cooperative) {
  constexpr int before = (0x210 + 16) / 4;
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {cluster.x, cluster.y, cluster.z};
  attributes[1].id = cudaLaunchAttributeCooperative;
  attributes[1].val.cooperative = cooperative;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = dynamic;
  config.attrs = cluster.x == 0 ? attributes + 1 : attributes;
  config.numAttrs = cluster.x == 0 ? 1 : 2;
  cudaMemset(out, 0xee, 4096);
  Words big{};
  for (int i = 0; i < 64; ++i) big.words[i] = 0x1000 + i;
  if (cudaError_t error = cudaLaunchKernelEx(&config, dump, out, static_cast<int>(0x21c / 4), big); error != cudaSuccess)
    return std::printf("%s: %s\n", name, cudaGetErrorString(error)), 1;
  static unsigned host[1024];
  if (cudaError_t error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost); error != cudaSuccess)
    return std::printf("%s: %s\n", name, cudaGetErrorString(error)), 1;
  for (int i = 0; i < registers; ++i)
    if (everything || i < 19) std::printf("%s register %d %#x\n", name, i, host[i]);
  for (int i = 0; i < before; ++i)
    if (host[registers + i] != 0 && (everything || is_known(i))) std::printf("%s c[0x0][%#x] %#x\n", name, 4 * i, host[registers + i]);
  return 0;
}

int main(int argc, char**) {
  everything = argc > 1;
  cudaMalloc(&out, 4096);
  cudaFuncSetAttribute(dump, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
  cudaFuncSetAttribute(dump, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  int failures = launch("plain", 3, 32, 0, 0, false) + launch("again", dim3(3, 2, 2), dim3(8, 4, 2), 0, 0, false);
  failures += launch("dynamic", 1, 64, 5000, 0, false) + launch("large", 2, 64, 199999, 0, false);
  failures += launch("cluster", dim3(8, 4), 64, 1024, dim3(4, 2), false) + launch("cooperative", 4, 64, 0, 0, true);
  failures += launch("sixteen", 32, 32, 0, 16, false) + launch("one", 4, 32, 0, 1, false);
  cudaDeviceSetLimit(cudaLimitStackSize, 4096);
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
  failures += launch("limits", 3, 32, 0, 0, false);
  return failures != 0;
}
