// A kernel of warps that change how many registers they have (setmaxnreg): 384 threads declare 168 registers each, and
// two warpgroups take 232 for the sums that they keep.
extern "C" __global__ __launch_bounds__(384, 1) void register_shares(const int* in, int* out) {
  const unsigned thread = threadIdx.x;
  if (thread < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  int sums[192];
#pragma unroll
  for (int n = 0; n < 192; ++n) sums[n] = n;
  for (int round = 0; round < 3; ++round) {
#pragma unroll
    for (int n = 0; n < 192; ++n) sums[n] = sums[n] * 3 + in[(n + thread + round) & 255];
#pragma unroll
    for (int n = 0; n < 192; ++n) asm volatile("" : "+r"(sums[n]));
  }
  int total = 0;
#pragma unroll
  for (int n = 0; n < 192; ++n) total = total * 5 + sums[n];
  out[thread] = total;
}
