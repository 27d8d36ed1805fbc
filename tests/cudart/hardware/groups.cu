// Shared memory of the other block of a cluster, block barriers of part of a block, __syncwarp after divergence, and wgmma of
// all types, with A in shared memory and in registers, with and without a swizzle. Every kernel is launched once; Nsight
// Compute's source page of it was looked at, too.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>

namespace cg = cooperative_groups;

// ---------------------------------------------------------------------- shared memory of another block

template <int stride>
__global__ void __cluster_dims__(2) distributed_words(unsigned* out) {
  __shared__ unsigned words[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += 32) words[i] = i;
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  unsigned* other = cluster.map_shared_rank(words, cluster.block_rank() ^ 1);
  const unsigned loaded = other[threadIdx.x * stride % 1024];
  other[(threadIdx.x * stride + 1) % 1024] = loaded;
  atomicAdd(&other[(threadIdx.x * stride + 2) % 1024], loaded);
  cluster.sync();
  out[blockIdx.x * 32 + threadIdx.x] = words[threadIdx.x] + loaded;
}

template <int stride>
__global__ void __cluster_dims__(2) distributed_vectors(uint4* out) {
  __shared__ uint4 words[256];
  for (unsigned i = threadIdx.x; i < 256; i += 32) words[i] = {i, i, i, i};
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  uint4* other = cluster.map_shared_rank(words, cluster.block_rank() ^ 1);
  const uint4 loaded = other[threadIdx.x * stride % 256];
  other[(threadIdx.x * stride + 1) % 256] = loaded;
  cluster.sync();
  out[blockIdx.x * 32 + threadIdx.x] = words[threadIdx.x];
  out[64 + blockIdx.x * 32 + threadIdx.x] = loaded;
}

// ------------------------------------------------------------------------------------------------ wgmma

__device__ uint64_t descriptor(const void* p, unsigned swizzle) {
  const uint64_t address = (static_cast<uint64_t>(__cvta_generic_to_shared(p)) & 0x3ffff) >> 4;
  return address | uint64_t{8} << 16 | uint64_t{64} << 32 | uint64_t{swizzle} << 62;
}
__device__ unsigned bits(float x) { return __float_as_uint(x); }
__device__ unsigned bits(int x) { return static_cast<unsigned>(x); }
struct Operands {
  uint64_t a, b;
};
__device__ Operands prepare(unsigned swizzle) {
  extern __shared__ __align__(1024) unsigned char memory[];
  for (unsigned i = threadIdx.x; i < 16384; i += 128) reinterpret_cast<unsigned*>(memory)[i] = i;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  const Operands o{descriptor(memory, swizzle), descriptor(memory + 16384, swizzle)};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  return o;
}
__device__ void finish() {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

template <unsigned swizzle>
__global__ void f16_n8(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[4] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 4; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void f16_n16(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[8] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 8; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void f16_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[32] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void f16_n128(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[64] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 64; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void f16_n256(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[128] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 128; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void f16_registers_n8(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[4] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, {%6,%6,%6,%6}, %5, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 4; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void f16_registers_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[32] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%34,%34,%34,%34}, %33, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void f16_transposed_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[32] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 1, 1;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void tf32_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[32] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void e4m3_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[32] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void s8_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  int d[32] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}

template <unsigned swizzle>
__global__ void s8_registers_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  int d[32] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%34,%34,%34,%34}, %33, 1;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void e4m3_registers_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[32] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%34,%34,%34,%34}, %33, 1, 1, 1;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void b1_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  int d[32] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k256.s32.b1.b1.and.popc {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void b1_registers_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  int d[32] = {};
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k256.s32.b1.b1.and.popc {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%34,%34,%34,%34}, %33, 1;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}

// ---------------------------------------------------------------------------------- wgmma with a sparse A

/// Metadata that differ by thread: of four units two, of two 32-bit elements one.
__device__ unsigned metadata(bool of_two) {
  const unsigned even = of_two ? 0xe4e44e4e : 0x4e9d8c4e, odd = of_two ? 0x4e44ee4e : 0xd94e8c9e;
  return threadIdx.x % 2 == 0 ? even : odd;
}
template <unsigned swizzle>
__global__ void sparse_f16_n8(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[4] = {};
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, %7, 0, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x), "r"(metadata(false)));
  finish();
  for (int i = 0; i < 4; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void sparse_f16_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[32] = {};
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n64k32.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, %35, 1, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x), "r"(metadata(false)));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void sparse_f16_n256(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[128] = {};
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n256k32.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, %131, 0, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x), "r"(metadata(false)));
  finish();
  for (int i = 0; i < 128; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void sparse_f16_registers_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[32] = {};
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n64k32.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%34,%34,%34,%34}, %33, %35, 0, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x), "r"(metadata(false)));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void sparse_tf32_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[32] = {};
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n64k16.f32.tf32.tf32 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, %35, 0, 1, 1, 1;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x), "r"(metadata(true)));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void sparse_e4m3_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  float d[32] = {};
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n64k64.f32.e4m3.e4m3 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, %35, 0, 1, 1, 1;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x), "r"(metadata(false)));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void sparse_s8_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  int d[32] = {};
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n64k64.s32.s8.s8 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, %35, 0, 1;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x), "r"(metadata(false)));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}
template <unsigned swizzle>
__global__ void sparse_s8_registers_n64(unsigned* out) {
  const Operands o = prepare(swizzle);
  int d[32] = {};
  asm volatile("wgmma.mma_async.sp.sync.aligned.m64n64k64.s32.s8.s8 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%34,%34,%34,%34}, %33, %35, 0, 1;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31]) : "l"(o.a), "l"(o.b), "r"(threadIdx.x), "r"(metadata(false)));
  finish();
  for (int i = 0; i < 32; ++i) out[threadIdx.x] = out[threadIdx.x] * 31 + bits(d[i]);
}

// --------------------------------------------------------------------------------------------- barriers

__global__ void barriers(unsigned* out) {
  const unsigned warp = threadIdx.x / 32;
  if (warp < 2) asm volatile("bar.sync 1, 64;" ::: "memory");
  if (warp >= 2) asm volatile("bar.arrive 2, 128;" ::: "memory");
  if (warp < 2) asm volatile("bar.sync 2, 128;" ::: "memory");
  const int count = __syncthreads_count(threadIdx.x % 3 == 0);
  if (threadIdx.x % 32 < 8 + warp) out[threadIdx.x] = count;
  asm volatile("barrier.sync 3;" ::: "memory");
  out[128 + threadIdx.x] = __syncthreads_or(threadIdx.x == 5) + __syncthreads_and(threadIdx.x < 100);
}

__global__ void warp_waits(unsigned* out) {
  __shared__ unsigned words[64];
  const unsigned lane = threadIdx.x;
  words[lane] = lane;
  if (lane % 4 == 0) words[lane] += 3;
  __syncwarp();
  if (lane < 16) {
    words[lane + 32] = words[lane ^ 1];
    __syncwarp(0xffff);
    out[lane] = words[32 + (lane ^ 2)];
  } else {
    __syncwarp(0xffff0000);
    out[lane] = words[lane ^ 3];
  }
  unsigned steps = 0;
  for (unsigned x = lane; x > 0; x /= 3) {
    steps += __popc(__activemask());
    __syncwarp(__activemask());
  }
  out[32 + lane] = steps;
}

int main() {
  unsigned* out;
  cudaMalloc(&out, 1 << 14);
  cudaMemset(out, 0, 1 << 14);
  // One line a kernel: what it left, the results of those before included.
  const auto say = [out](const char* kernel) {
    static unsigned words[1 << 12];
    cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost);
    unsigned long long hash = 0xcbf29ce484222325u;
    for (const unsigned word : words) hash = (hash ^ word) * 0x100000001b3u;
    std::printf("%s %016llx\n", kernel, hash);
  };
  distributed_words<1><<<2, 32>>>(out);
  say("distributed_words<1>");
  distributed_words<2><<<2, 32>>>(out);
  say("distributed_words<2>");
  distributed_words<32><<<2, 32>>>(out);
  say("distributed_words<32>");
  distributed_words<33><<<2, 32>>>(out);
  say("distributed_words<33>");
  distributed_vectors<1><<<2, 32>>>(reinterpret_cast<uint4*>(out));
  say("distributed_vectors<1>");
  distributed_vectors<8><<<2, 32>>>(reinterpret_cast<uint4*>(out));
  say("distributed_vectors<8>");
  barriers<<<1, 128>>>(out);
  say("barriers");
  warp_waits<<<1, 32>>>(out);
  say("warp_waits");
  const auto wide = [](auto kernel) { cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); };
  wide(f16_n8<0>), f16_n8<0><<<1, 128, 65536>>>(out);
  say("f16_n8<0>");
  wide(f16_n8<1>), f16_n8<1><<<1, 128, 65536>>>(out);
  say("f16_n8<1>");
  wide(f16_n16<0>), f16_n16<0><<<1, 128, 65536>>>(out);
  say("f16_n16<0>");
  wide(f16_n16<1>), f16_n16<1><<<1, 128, 65536>>>(out);
  say("f16_n16<1>");
  wide(f16_n64<0>), f16_n64<0><<<1, 128, 65536>>>(out);
  say("f16_n64<0>");
  wide(f16_n64<1>), f16_n64<1><<<1, 128, 65536>>>(out);
  say("f16_n64<1>");
  wide(f16_n128<0>), f16_n128<0><<<1, 128, 65536>>>(out);
  say("f16_n128<0>");
  wide(f16_n128<1>), f16_n128<1><<<1, 128, 65536>>>(out);
  say("f16_n128<1>");
  wide(f16_n256<0>), f16_n256<0><<<1, 128, 65536>>>(out);
  say("f16_n256<0>");
  wide(f16_n256<1>), f16_n256<1><<<1, 128, 65536>>>(out);
  say("f16_n256<1>");
  wide(f16_registers_n8<0>), f16_registers_n8<0><<<1, 128, 65536>>>(out);
  say("f16_registers_n8<0>");
  wide(f16_registers_n8<1>), f16_registers_n8<1><<<1, 128, 65536>>>(out);
  say("f16_registers_n8<1>");
  wide(f16_registers_n64<0>), f16_registers_n64<0><<<1, 128, 65536>>>(out);
  say("f16_registers_n64<0>");
  wide(f16_registers_n64<1>), f16_registers_n64<1><<<1, 128, 65536>>>(out);
  say("f16_registers_n64<1>");
  wide(f16_transposed_n64<0>), f16_transposed_n64<0><<<1, 128, 65536>>>(out);
  say("f16_transposed_n64<0>");
  wide(f16_transposed_n64<1>), f16_transposed_n64<1><<<1, 128, 65536>>>(out);
  say("f16_transposed_n64<1>");
  wide(tf32_n64<0>), tf32_n64<0><<<1, 128, 65536>>>(out);
  say("tf32_n64<0>");
  wide(tf32_n64<1>), tf32_n64<1><<<1, 128, 65536>>>(out);
  say("tf32_n64<1>");
  wide(e4m3_n64<0>), e4m3_n64<0><<<1, 128, 65536>>>(out);
  say("e4m3_n64<0>");
  wide(e4m3_n64<1>), e4m3_n64<1><<<1, 128, 65536>>>(out);
  say("e4m3_n64<1>");
  wide(s8_n64<0>), s8_n64<0><<<1, 128, 65536>>>(out);
  say("s8_n64<0>");
  wide(s8_n64<1>), s8_n64<1><<<1, 128, 65536>>>(out);
  say("s8_n64<1>");
  wide(s8_registers_n64<0>), s8_registers_n64<0><<<1, 128, 65536>>>(out);
  say("s8_registers_n64<0>");
  wide(s8_registers_n64<1>), s8_registers_n64<1><<<1, 128, 65536>>>(out);
  say("s8_registers_n64<1>");
  wide(e4m3_registers_n64<0>), e4m3_registers_n64<0><<<1, 128, 65536>>>(out);
  say("e4m3_registers_n64<0>");
  wide(e4m3_registers_n64<1>), e4m3_registers_n64<1><<<1, 128, 65536>>>(out);
  say("e4m3_registers_n64<1>");
  wide(b1_n64<0>), b1_n64<0><<<1, 128, 65536>>>(out);
  say("b1_n64<0>");
  wide(b1_n64<1>), b1_n64<1><<<1, 128, 65536>>>(out);
  say("b1_n64<1>");
  wide(b1_registers_n64<0>), b1_registers_n64<0><<<1, 128, 65536>>>(out);
  say("b1_registers_n64<0>");
  wide(b1_registers_n64<1>), b1_registers_n64<1><<<1, 128, 65536>>>(out);
  say("b1_registers_n64<1>");
  wide(sparse_f16_n8<0>), sparse_f16_n8<0><<<1, 128, 65536>>>(out);
  say("sparse_f16_n8<0>");
  wide(sparse_f16_n8<1>), sparse_f16_n8<1><<<1, 128, 65536>>>(out);
  say("sparse_f16_n8<1>");
  wide(sparse_f16_n64<0>), sparse_f16_n64<0><<<1, 128, 65536>>>(out);
  say("sparse_f16_n64<0>");
  wide(sparse_f16_n64<1>), sparse_f16_n64<1><<<1, 128, 65536>>>(out);
  say("sparse_f16_n64<1>");
  wide(sparse_f16_n256<0>), sparse_f16_n256<0><<<1, 128, 65536>>>(out);
  say("sparse_f16_n256<0>");
  wide(sparse_f16_n256<1>), sparse_f16_n256<1><<<1, 128, 65536>>>(out);
  say("sparse_f16_n256<1>");
  wide(sparse_f16_registers_n64<0>), sparse_f16_registers_n64<0><<<1, 128, 65536>>>(out);
  say("sparse_f16_registers_n64<0>");
  wide(sparse_f16_registers_n64<1>), sparse_f16_registers_n64<1><<<1, 128, 65536>>>(out);
  say("sparse_f16_registers_n64<1>");
  wide(sparse_tf32_n64<0>), sparse_tf32_n64<0><<<1, 128, 65536>>>(out);
  say("sparse_tf32_n64<0>");
  wide(sparse_tf32_n64<1>), sparse_tf32_n64<1><<<1, 128, 65536>>>(out);
  say("sparse_tf32_n64<1>");
  wide(sparse_e4m3_n64<0>), sparse_e4m3_n64<0><<<1, 128, 65536>>>(out);
  say("sparse_e4m3_n64<0>");
  wide(sparse_e4m3_n64<1>), sparse_e4m3_n64<1><<<1, 128, 65536>>>(out);
  say("sparse_e4m3_n64<1>");
  wide(sparse_s8_n64<0>), sparse_s8_n64<0><<<1, 128, 65536>>>(out);
  say("sparse_s8_n64<0>");
  wide(sparse_s8_n64<1>), sparse_s8_n64<1><<<1, 128, 65536>>>(out);
  say("sparse_s8_n64<1>");
  wide(sparse_s8_registers_n64<0>), sparse_s8_registers_n64<0><<<1, 128, 65536>>>(out);
  say("sparse_s8_registers_n64<0>");
  wide(sparse_s8_registers_n64<1>), sparse_s8_registers_n64<1><<<1, 128, 65536>>>(out);
  say("sparse_s8_registers_n64<1>");
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
