// Compiles a kernel at run time with NVRTC, to PTX and to machine code, and runs both through the driver interface.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <string>
#include <vector>

static const char* const source = R"(
extern "C" __global__ void twice(int* p) {
  __shared__ int s[32];
  s[threadIdx.x] = 2 * p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[31 - threadIdx.x];
}
)";

static int run(const char* code) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr p = 0;
  int host[32];
  for (int i = 0; i < 32; ++i) host[i] = i;
  void* arguments[] = {&p};
  if (cuModuleLoadData(&module, code) != CUDA_SUCCESS || cuModuleGetFunction(&function, module, "twice") != CUDA_SUCCESS)
    return -1;
  cuMemAlloc(&p, sizeof host);
  cuMemcpyHtoD(p, host, sizeof host);
  if (cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) != CUDA_SUCCESS) return -2;
  cuMemcpyDtoH(host, p, sizeof host);
  return host[0];
}

int main() {
  CUcontext context = nullptr;
  CUdevice device = 0;
  int major = 0, minor = 0;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, nullptr, 0, device);
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  const std::string number = std::to_string(10 * major + minor);
  for (const std::string& target : {"compute_" + number, "sm_" + number}) {
    nvrtcProgram program;
    nvrtcCreateProgram(&program, source, "twice.cu", 0, nullptr, nullptr);
    const std::string option = "--gpu-architecture=" + target;
    const char* options[] = {option.c_str()};
    if (nvrtcCompileProgram(program, 1, options) != NVRTC_SUCCESS) std::printf("not compiled\n");
    const bool ptx = target[0] == 'c';
    size_t bytes = 0;
    ptx ? nvrtcGetPTXSize(program, &bytes) : nvrtcGetCUBINSize(program, &bytes);
    std::vector<char> code(bytes);
    ptx ? nvrtcGetPTX(program, code.data()) : nvrtcGetCUBIN(program, code.data());
    std::printf("%s %d\n", target.c_str(), run(code.data()));
    nvrtcDestroyProgram(&program);
  }
}
