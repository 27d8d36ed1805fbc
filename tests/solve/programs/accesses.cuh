// Every access of a pattern as one warp makes it, on a tile in shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

struct Place {
  unsigned row, column, active, source;
};

template <unsigned Bytes>
struct Vector;
template <>
struct Vector<1> {
  using Type = unsigned char;
};
template <>
struct Vector<2> {
  using Type = unsigned short;
};
template <>
struct Vector<4> {
  using Type = unsigned;
};
template <>
struct Vector<8> {
  using Type = uint2;
};
template <>
struct Vector<16> {
  using Type = uint4;
};

__device__ inline unsigned any_bits(unsigned char x) { return x; }
__device__ inline unsigned any_bits(unsigned short x) { return x; }
__device__ inline unsigned any_bits(unsigned x) { return x; }
__device__ inline unsigned any_bits(uint2 x) { return x.x ^ x.y; }
__device__ inline unsigned any_bits(uint4 x) { return x.x ^ x.y ^ x.z ^ x.w; }

/// A load that the compiler neither splits nor drops.
template <class V>
__device__ V load_whole(unsigned address) {
  if constexpr (sizeof(V) == 16) {
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(address));
    return v;
  } else if constexpr (sizeof(V) == 8) {
    uint2 v;
    asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(address));
    return v;
  } else if constexpr (sizeof(V) == 4) {
    unsigned v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(address));
    return v;
  } else {
    unsigned v;
    if constexpr (sizeof(V) == 2)
      asm volatile("{.reg .u16 x; ld.shared.u16 x, [%1]; cvt.u32.u16 %0, x;}" : "=r"(v) : "r"(address));
    else
      asm volatile("ld.shared.u8 %0, [%1];" : "=r"(v) : "r"(address));
    return static_cast<V>(v);
  }
}

template <class L, class P>
__global__ void make_accesses(const Place* places, unsigned accesses, const unsigned char* source, unsigned* out) {
  constexpr lanebank::PatternShape shape = P::template shape<L>();
  using V = typename Vector<shape.lane_bytes>::Type;
  extern __shared__ __align__(1024) unsigned char memory[];
  unsigned sum = 0;
  for (unsigned k = 0; k < accesses; ++k) {
    const Place place = places[k * 32 + threadIdx.x];
    unsigned char* at = memory + L::offset(place.row, place.column);
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(at));
    if constexpr (shape.kind == lanebank::AccessKind::matrix_load) {
      unsigned a = 0, b = 0, c = 0, d = 0;
      if constexpr (shape.matrices == 4)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(address));
      else if constexpr (shape.matrices == 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "r"(address));
      else
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(address));
      sum += a + b + c + d;
    } else if constexpr (shape.kind == lanebank::AccessKind::matrix_store) {
      if constexpr (shape.matrices == 4)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%1,%1,%1};" ::"r"(address), "r"(k));
      else if constexpr (shape.matrices == 2)
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%1};" ::"r"(address), "r"(k));
      else
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address), "r"(k));
    } else if (place.active) {
      if constexpr (shape.kind == lanebank::AccessKind::load) sum += any_bits(load_whole<V>(address));
      if constexpr (shape.kind == lanebank::AccessKind::store) *reinterpret_cast<V*>(at) = V{};
      if constexpr (shape.kind == lanebank::AccessKind::atomic)
        sum += atomicAdd(reinterpret_cast<unsigned*>(at), k + 1);
      if constexpr (shape.kind == lanebank::AccessKind::async_copy_cg)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(source + place.source) : "memory");
    }
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[threadIdx.x] = sum;
}

inline bool all_ran = true;

template <class L, class P>
void run_pattern() {
  constexpr lanebank::PatternShape shape = P::template shape<L>();
  std::vector<Place> places;
  for (unsigned access = 0; access < shape.accesses; ++access)
    for (unsigned lane = 0; lane < 32; ++lane) {
      const lanebank::Coordinate at = P::template at<L>(access, lane);
      unsigned source = lane * 16;
      if constexpr (shape.kind == lanebank::AccessKind::async_copy_cg) source = P::template source<L>(access, lane);
      places.push_back({at.active ? at.row : 0u, at.active ? at.column : 0u, at.active, source});
    }
  Place* on = nullptr;
  unsigned char* global = nullptr;
  unsigned* out = nullptr;
  cudaMalloc(&on, places.size() * sizeof(Place));
  cudaMalloc(&global, 1 << 20);
  cudaMalloc(&out, 128);
  cudaMemcpy(on, places.data(), places.size() * sizeof(Place), cudaMemcpyHostToDevice);
  make_accesses<L, P><<<1, 32, L::bytes>>>(on, shape.accesses, global, out);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error)), all_ran = false;
}

inline int finish() { return all_ran ? 0 : 1; }
