// Control flow, convergence, warp-wide operations, barriers, cooperative groups, clusters.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

extern "C" __global__ void shuffles(int* out, const double* d, int k) {
  int t = threadIdx.x, x = out[t];
  x += __shfl_sync(~0u, x, 5) + __shfl_sync(~0u, x, k) + __shfl_up_sync(~0u, x, 1) + __shfl_up_sync(~0u, x, k, 8) + __shfl_down_sync(~0u, x, 2, 16);
  x += __shfl_down_sync(~0u, x, k) + __shfl_xor_sync(~0u, x, 1) + __shfl_xor_sync(~0u, x, k, 4) + __shfl_sync(~0u, x, 2, k);
  x += (int)__shfl_xor_sync(~0u, d[t], 16) + (int)__shfl_sync(0xffu, (long long)x, k);
  unsigned seen;
  asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %1, 3, 0, -1; selp.u32 %0, %0, 0, p; }" : "=r"(seen) : "r"(x));
  out[t] = x + seen;
}
extern "C" __global__ void votes(int* out, unsigned mask) {
  int t = threadIdx.x, x = out[t];
  unsigned r = __ballot_sync(~0u, x > 3) + __any_sync(~0u, x < 2) + __all_sync(~0u, x != 7) * 3 + __activemask();
  if (x & 1) r += __ballot_sync(mask, x > 9) + __popc(__activemask());
  __syncwarp(mask);
  r += __match_any_sync(~0u, x) + __match_any_sync(~0u, (long long)x * 3);
  int all;
  r += __match_all_sync(~0u, x, &all) + all;
  int uni;
  asm volatile("{ .reg .pred p, q; setp.gt.s32 p, %1, 4; vote.sync.uni.pred q, p, -1; selp.s32 %0, 1, 0, q; }" : "=r"(uni) : "r"(x));
  out[t] = r + uni;
  if (x > 100) { __syncwarp(); out[t + 32] = __shfl_xor_sync(mask, x, 1); }
}
#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
extern "C" __global__ void reductions(int* out, unsigned* u, unsigned m) {
  int t = threadIdx.x, x = out[t];
  out[t] = __reduce_add_sync(~0u, x) + __reduce_min_sync(~0u, x) + __reduce_max_sync(m, x);
  u[t] = __reduce_add_sync(~0u, u[t]) + __reduce_min_sync(~0u, u[t]) + __reduce_max_sync(~0u, u[t]) + __reduce_and_sync(~0u, u[t]) + __reduce_or_sync(~0u, u[t]) + __reduce_xor_sync(~0u, u[t]);
}
#endif
extern "C" __global__ void barriers(int* out, int n) {
  int t = threadIdx.x, x = out[t];
  x += __syncthreads_and(x > 1) + __syncthreads_or(x > 2) * 2 + __syncthreads_count(x > 3) * 4;
  asm volatile("bar.sync 3;"); asm volatile("bar.sync 4, 64;"); asm volatile("bar.arrive 5, 96;");
  asm volatile("bar.sync %0;" ::"r"(n)); asm volatile("bar.sync %0, %1;" ::"r"(n), "r"(n * 32)); asm volatile("bar.sync 6, %0;" ::"r"(n * 32)); asm volatile("bar.arrive %0, 64;" ::"r"(n));
  asm volatile("barrier.sync.aligned 7, 128;"); asm volatile("barrier.arrive %0, %1;" ::"r"(n + 1), "r"(n * 32)); asm volatile("bar.warp.sync %0;" ::"r"(n));
  asm volatile("{ .reg .pred p, q; setp.gt.s32 p, %1, 4; bar.red.and.pred q, 2, 128, p; selp.s32 %0, 1, 0, q; }" : "+r"(x) : "r"(n));
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 4; bar.red.popc.u32 %0, %1, p; }" : "+r"(x) : "r"(n));
  asm volatile("{ .reg .pred p, q; setp.gt.s32 p, %1, 4; bar.red.or.pred q, %1, 64, p; selp.s32 %0, 1, 0, q; }" : "+r"(x) : "r"(n));
  out[t] = x;
}
struct Shape { __device__ virtual int area(int x) const { return x; } __device__ virtual ~Shape() {} };
struct Square : Shape { int s; __device__ int area(int x) const override { return s * x; } };
typedef int (*Function)(int);
__device__ __noinline__ int first(int x) { return x * 3 + clock(); }
__device__ __noinline__ int second(int x) { return x > 0 ? second(x - 2) * x + first(x) : 1; }
__device__ Function functions[2] = {first, second};
extern "C" __global__ void calls(int* out, Shape** shapes, int k, Function* given) {
  Square local;
  local.s = k;
  Shape* s = k > 3 ? shapes[threadIdx.x] : &local;
  out[threadIdx.x] = s->area(k) + functions[k & 1](k) + second(k) + given[threadIdx.x](k);
}
extern "C" __global__ void switches(int* out, int n) {
  int t = threadIdx.x, x = out[t];
  for (int i = 0; i < n; ++i) {
    switch ((x + i) & 15) {
      case 0: x += 3; break;
      case 1: x *= n; break;
      case 2: x ^= i; if (x > 90) return; break;
      case 3: x = x / (n + 1); break;
      case 4: x = __popc(x); break;
      case 5: x -= 7; continue;
      case 6: x = out[x & 31]; break;
      case 7: out[t] = x; break;
      case 8: x = x << 3; break;
      case 9: if (x & 4) { x = __brev(x); } else { x = ~x; } break;
      default: x += i;
    }
    while (x > 1000) { x = x * 3 / 4; if (x % 17 == 3) break; if (x % 19 == 2) goto out_of_all; }
  }
out_of_all:
  out[t] = x;
}
extern "C" __global__ void services(int* out, int n) {
  assert(out[threadIdx.x] < 100);
  if (n == 7) __trap();
  if (n == 8) __brkpt();
  if (n == 9) asm volatile("exit;");
  printf("%d %f\n", n, 1.5f);
  int* p = (int*)malloc(n);
  if (p) p[0] = n;
  __nanosleep(100); __nanosleep(n);
  long long t = clock64() + clock();
  unsigned long long g;
  unsigned a, b, c, d, e, f, h;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(a)); asm volatile("mov.u32 %0, %%warpid;" : "=r"(b)); asm volatile("mov.u32 %0, %%laneid;" : "=r"(c));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(d)); asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(e)); asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(f));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(h));
  out[threadIdx.x] = (int)t + (int)g + a + b + c + d + e + f + h;
  asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(a)); asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(b)); asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(c));
  asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(d)); asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(e)); asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(f)); asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(h));
  out[threadIdx.x + 32] = a + b + c + d + e + f + h + threadIdx.z + blockIdx.z + threadIdx.y * blockDim.y + gridDim.z;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(g)); asm volatile("mov.u32 %0, %%pm0;" : "=r"(a)); asm volatile("pmevent 3;");
  out[threadIdx.x + 64] = (int)g + a;
  free(p);
}
extern "C" __global__ void groups(int* out) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(warp);
  int x = out[block.thread_rank()];
  x += cg::reduce(warp, x, cg::plus<int>()) + cg::reduce(quad, x, cg::greater<int>()) + cg::exclusive_scan(warp, x) + quad.shfl_down(x, 1) + warp.any(x > 2) + quad.ballot(x > 1);
  if (x % 3) {
    auto active = cg::coalesced_threads();
    x += active.thread_rank() + active.shfl(x, 0) + cg::reduce(active, x, cg::plus<int>());
    if (active.thread_rank() == 0) x += atomicAdd(out, (int)active.size());
    active.sync();
  }
  auto labelled = cg::labeled_partition(warp, x & 3);
  x += cg::reduce(labelled, x, cg::bit_xor<int>());
  block.sync();
  out[block.thread_rank()] = x;
  cg::this_grid().sync();
  out[cg::this_grid().thread_rank()] += x;
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void clusters(int* out) {
  __shared__ int s[64];
  auto cluster = cg::this_cluster();
  s[threadIdx.x] = out[threadIdx.x];
  cluster.sync();
  int* other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  out[threadIdx.x] = other[threadIdx.x] + cluster.num_blocks() + cluster.dim_blocks().x + cluster.block_index().y;
  atomicAdd(other, 3);
  auto token = cluster.barrier_arrive();
  cluster.barrier_wait(std::move(token));
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;");
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait;");
  unsigned a, b, c, d;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(a)); asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(b)); asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(c)); asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(d));
  unsigned e, f;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(e) : "r"(a), "r"(b)); asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(f) : "r"(e));
  asm volatile("{ .reg .pred p; elect.sync _|p, -1; @p st.shared::cluster.u32 [%0], %1; }" ::"r"(e), "r"(f) : "memory");
  asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(f) : "r"(e), "r"(a) : "memory");
  out[threadIdx.x + 64] = a + b + c + d + f;
  asm volatile("griddepcontrol.wait;"); asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;" ::); asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::);
}
#endif
