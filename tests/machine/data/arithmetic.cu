// The operations of ../hardware/arithmetic.cu, one kernel for each sort of operands; `which` counts along the lists.
#include "../hardware/arithmetic_operations.cuh"

#define LANE_KERNEL(kernel, In, Out, LIST)                                                                            \
  extern "C" __global__ void kernel(unsigned which, const In* a, const In* b, const In* c, Out* d) {                  \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                         \
    unsigned n = 0;                                                                                                   \
    LIST(LANE_CASE)                                                                                                   \
  }
#define LANE_CASE(arity, name, ptx) \
  if (which == n++) d[i] = operations::name::f(a[i], b[i], c[i]);

LANE_KERNEL(single_lanes, u32, u32, SINGLE_LISTS)
LANE_KERNEL(pair_lanes, u32, u32, PAIR_LISTS)
LANE_KERNEL(long_lanes, u32, u64, LONG_LISTS)
LANE_KERNEL(double_lanes, u64, u64, DOUBLE_LISTS)
LANE_KERNEL(double_word_lanes, u64, u32, DOUBLE_WORD_LISTS)
LANE_KERNEL(half_lanes, u16, u32, HALF_LISTS)

#define PRODUCT_KERNEL(name, factors, sums, seed)                                                        \
  extern "C" __global__ void product_##name(const u32* a, const u32* b, const u32* c, u32* d) { \
    multiply_body<name>(a, b, c, d);                                                                     \
  }
WARP_PRODUCTS(PRODUCT_KERNEL)
LATER_PRODUCTS(PRODUCT_KERNEL)

#define GROUP_KERNEL(name)                                                             \
  extern "C" __global__ void name##_kernel(const u32* fill, u64 a, u64 b, u32* d) { \
    group_body<name>(fill, a, b, d);                                                   \
  }
GROUP_PRODUCTS(GROUP_KERNEL)

#define SPARSE_GROUP_KERNEL(name)                                                      \
  extern "C" __global__ void name##_kernel(const u32* fill, u64 a, u64 b, u32* d) { \
    sparse_group_body<name>(fill, a, b, d);                                            \
  }
SPARSE_GROUP_PRODUCTS(SPARSE_GROUP_KERNEL)
