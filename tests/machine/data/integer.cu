// Integer code as nvcc makes it of C++: each kernel writes out[operation][thread]. integer_test.cpp computes
// the same on the host.
using u32 = unsigned;
using i64 = long long;
using u64 = unsigned long long;

#define KERNEL extern "C" __global__ void
#define THREAD const int n = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x; int k = 0
#define OUT(value) out[n * k++ + t] = (value)

KERNEL words(u32* out, const u32* in) {
  THREAD;
  const u32 x = in[t], y = in[t + n], z = in[t + 2 * n];
  const int a = x, b = y, c = z;
  OUT(a * b + c); OUT(a * b - c); OUT(b == 0 ? 0 : x / y); OUT(z == 0 ? 0 : x % z);
  OUT(b == 0 || (a == int(0x80000000) && b == -1) ? 0 : a / b); OUT(c == 0 || c == -1 ? 0 : a % c);
  OUT(__mulhi(a, b)); OUT(__umulhi(x, y)); OUT(abs(a)); OUT(min(a, b)); OUT(max(a, c)); OUT(min(x, y)); OUT(max(x, z));
  OUT(__clz(a)); OUT(__popc(x)); OUT(__brev(x)); OUT(__ffs(a)); OUT(__byte_perm(x, y, z)); OUT(__sad(a, b, z)); OUT(__usad(x, y, z));
  OUT(__mul24(a, b)); OUT(__umul24(x, y)); OUT(__hadd(a, b)); OUT(__rhadd(a, b)); OUT(__uhadd(x, y));
  OUT(__funnelshift_l(x, y, z)); OUT(__funnelshift_r(x, y, z)); OUT(__funnelshift_lc(x, y, z)); OUT(__funnelshift_rc(x, y, z));
  OUT(x << (y & 31)); OUT(a >> (y & 31)); OUT(x >> (y & 31)); OUT((x & y) | z); OUT((x ^ y) & ~z);
  OUT(a / 7); OUT(a % 7); OUT(x / 7); OUT(a / 8); OUT(a % 8); OUT(x / 1000); OUT(a / -3);
  OUT(__dp4a(a, b, c)); OUT(__dp4a(x, y, z)); OUT(__dp2a_lo(a, b, c)); OUT(__dp2a_hi(x, y, z));
  OUT(__vadd4(x, y)); OUT(__vabsdiffu4(x, y)); OUT(__vmaxs2(x, y)); OUT(__vminu2(x, y)); OUT(__vavgu4(x, y)); OUT(__vsubss2(x, y)); OUT(__vsadu4(x, y));
  OUT(max(max(a, b), c)); OUT(min(min(a, b), c)); OUT(max(a + b, c)); OUT(min(x + y, z)); OUT(max(a + b, 0));
  OUT(a < b ? x : z); OUT((a < b) + 2 * (x < y) + 4 * (a == c) + 8 * (x >= z && b > c));
}

KERNEL longs(u64* out, const u64* in) {
  THREAD;
  const u64 x = in[t], y = in[t + n], z = in[t + 2 * n];
  const i64 a = x, b = y, c = z;
  OUT(x * y + z); OUT(x + y); OUT(x - y); OUT(y == 0 ? 0 : x / y); OUT(z == 0 ? 0 : x % z);
  OUT(b == 0 || b == -1 ? 0 : a / b); OUT(c == 0 || c == -1 ? 0 : a % c);
  OUT(__mul64hi(a, b)); OUT(__umul64hi(x, y)); OUT(a < 0 ? -x : x); OUT(min(a, b)); OUT(max(x, y));
  OUT(__clzll(a)); OUT(__popcll(x)); OUT(__brevll(x)); OUT(__ffsll(a));
  OUT(x << (y & 63)); OUT(a >> (y & 63)); OUT(x >> (y & 63)); OUT(a < b ? z : x); OUT(a / 7); OUT(x / 10); OUT((x & y) ^ z); OUT(-x);
  OUT(x << 3); OUT(a >> 5); OUT(x >> 40); OUT(i64(int(x)) * int(y)); OUT(u64(u32(x)) * u32(y) + z);
  OUT((a == b) + 2 * (a <= c) + 4 * (x > z) + 8 * (a > b));
  const unsigned __int128 w = (unsigned __int128)x * y + z, v = w - (((unsigned __int128)z << 64) | x);
  OUT(u64(w)); OUT(u64(w >> 64)); OUT(u64(v)); OUT(u64(v >> 64)); OUT(w < v);
  const __int128 s = (__int128)a * b;
  OUT(u64(s)); OUT(u64(s >> 64)); OUT(x * 3 + u32(t));
}

#define PTX2(text, ...) { u32 r; asm(text " %0, %1, %2;" : "=r"(r) : __VA_ARGS__); OUT(r); }
#define PTX3(text, ...) { u32 r; asm(text " %0, %1, %2, %3;" : "=r"(r) : __VA_ARGS__); OUT(r); }

KERNEL fields(u32* out, const u32* in) {
  THREAD;
  const u32 x = in[t], y = in[t + n], z = in[t + 2 * n];
  PTX3("bfe.u32", "r"(x), "r"(y), "r"(z)) PTX3("bfe.s32", "r"(x), "r"(y), "r"(z))
  { u32 r; asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(z), "r"(z >> 8)); OUT(r); }
  { u32 r; asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(x)); OUT(r); }
  { u32 r; asm("bfind.s32 %0, %1;" : "=r"(r) : "r"(x)); OUT(r); }
  { u32 r; asm("bfind.shiftamt.s32 %0, %1;" : "=r"(r) : "r"(x)); OUT(r); }
  PTX2("szext.wrap.s32", "r"(x), "r"(y)) PTX2("szext.clamp.s32", "r"(x), "r"(y)) PTX2("szext.clamp.u32", "r"(x), "r"(z))
  PTX2("bmsk.clamp.b32", "r"(y), "r"(z)) PTX2("bmsk.wrap.b32", "r"(y), "r"(z))
  PTX3("prmt.b32.f4e", "r"(x), "r"(y), "r"(z)) PTX3("prmt.b32.b4e", "r"(x), "r"(y), "r"(z)) PTX3("prmt.b32.rc8", "r"(x), "r"(y), "r"(z))
  PTX3("prmt.b32.ecl", "r"(x), "r"(y), "r"(z)) PTX3("prmt.b32.ecr", "r"(x), "r"(y), "r"(z)) PTX3("prmt.b32.rc16", "r"(x), "r"(y), "r"(z))
  PTX2("add.sat.s32", "r"(x), "r"(y)) PTX2("sub.sat.s32", "r"(x), "r"(y)) PTX3("mad.hi.sat.s32", "r"(x), "r"(y), "r"(z))
  { u32 r; asm("{.reg .u32 t; add.cc.u32 t, %1, %2; addc.cc.u32 t, %3, t; addc.u32 %0, t, %1;}" : "=r"(r) : "r"(x), "r"(y), "r"(z)); OUT(r); }
  { u32 r; asm("{.reg .u32 t; sub.cc.u32 t, %1, %2; subc.cc.u32 t, %3, t; subc.u32 %0, t, %1;}" : "=r"(r) : "r"(x), "r"(y), "r"(z)); OUT(r); }
  { u32 r; asm("{.reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.cc.u32 t, %3, t, %1; madc.lo.u32 %0, t, %1, %2;}" : "=r"(r) : "r"(x), "r"(y), "r"(z)); OUT(r); }
}

KERNEL lanes(u32* out, const u32* in) {
  THREAD;
  const u32 x = in[t], y = in[t + n];
  OUT(__shfl_sync(~0u, x, y & 31)); OUT(__shfl_up_sync(~0u, x, 3)); OUT(__shfl_down_sync(~0u, x, y & 31, 16)); OUT(__shfl_xor_sync(~0u, x, 7, 8));
  OUT(__shfl_up_sync(~0u, x, y & 7, 8)); OUT(__ballot_sync(~0u, x & 1)); OUT(__any_sync(~0u, x == 0)); OUT(__all_sync(~0u, x != 1));
  OUT(__match_any_sync(~0u, y % 5));
  int all;
  OUT(__match_all_sync(~0u, y / 1000, &all)); OUT(all); OUT(__match_any_sync(~0u, (u64(y % 3) << 32) | (x & 1)));
#if __CUDA_ARCH__ >= 800
  OUT(__reduce_add_sync(~0u, x)); OUT(__reduce_max_sync(~0u, int(x))); OUT(__reduce_min_sync(~0u, x)); OUT(__reduce_and_sync(~0u, x)); OUT(__reduce_or_sync(~0u, x)); OUT(__reduce_xor_sync(~0u, x));
#else
  k += 6;
#endif
  u32 r = 0;
  if (x & 1) r = __activemask();
  OUT(r);
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r)); OUT(r);
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(r)); OUT(r);
  asm("mov.u32 %0, %%laneid;" : "=r"(r)); OUT(r);
  asm("mov.u32 %0, %%warpid;" : "=r"(r)); OUT(r);
}

__constant__ int table[64] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 100, 99, 98, 97, 96, 95, 94};
__constant__ signed char bytes[16] = {-1, 2, -3, 4, -5, 6, -7, 8, -9, 10, -11, 12, -13, 14, -15, 16};

KERNEL places(int* out, const u32* in, int scale) {
  const int n = gridDim.x * blockDim.x * blockDim.y * blockDim.z;
  const int t = ((blockIdx.x * blockDim.z + threadIdx.z) * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int k = 0;
  OUT(int(threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z)); OUT(table[in[t] % 64]); OUT(bytes[in[t] % 16]);
  OUT(table[blockIdx.x] * scale);
  // A loop whose bounds are the same for all: work for the uniform datapath.
  int sum = 0;
  for (int i = 0; i < scale * int(gridDim.x); i += 3) sum += (i / 4) ^ scale;
  OUT(sum);
}
