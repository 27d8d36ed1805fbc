// Barriers of a block: missing ones, and kernels that look alike and are right. Lines with "finds" are expected findings
// when the program is built with -DFAULT.
#include <cstdio>

#ifdef FAULT
#define BARRIER
#else
#define BARRIER __syncthreads()
#endif

__global__ void read_after_write(int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  BARRIER;
  out[threadIdx.x] = tile[255 - threadIdx.x];  // finds race read-after-write
}

__global__ void write_after_read(int* out) {
  __shared__ int ring[256];
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    ring[threadIdx.x] = round;  // finds race write-after-read
    __syncthreads();
    sum += ring[(threadIdx.x + 64) % 256];
    BARRIER;
  }
  out[threadIdx.x] = sum;
}

__global__ void write_after_write(int* out) {
  __shared__ volatile int last;
  if (threadIdx.x == 0) last = 1;
  BARRIER;
  if (threadIdx.x == 255) last = 2;  // finds race write-after-write
  __syncthreads();
  out[threadIdx.x] = last;
}

// Half of the block fills, the other half reads, with barriers of their own.
__global__ void producer_and_consumer(int* out) {
  __shared__ int buffer[128];
  const int lane = threadIdx.x % 128;
  if (threadIdx.x < 128) {
    for (int round = 0; round < 3; ++round) {
      if (round > 0) asm volatile("bar.sync 2, 256;" ::: "memory");
      buffer[lane] = round;  // finds race write-after-read
#ifdef FAULT
      asm volatile("bar.arrive 3, 256;" ::: "memory");
#else
      asm volatile("bar.arrive 1, 256;" ::: "memory");
#endif
    }
  } else {
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
#ifdef FAULT
      asm volatile("bar.sync 3, 256;" ::: "memory");
      if (round < 2) asm volatile("bar.arrive 2, 256;" ::: "memory");
      sum += buffer[127 - lane];
#else
      asm volatile("bar.sync 1, 256;" ::: "memory");
      sum += buffer[127 - lane];
      if (round < 2) asm volatile("bar.arrive 2, 256;" ::: "memory");
#endif
    }
    out[lane] = sum;
  }
}

// Right without a barrier: each thread reads what it wrote itself.
__global__ void own_elements(int* out) {
  __shared__ int tile[256];
  tile[threadIdx.x] = 3;
  out[threadIdx.x] = tile[threadIdx.x];
}

// Right: bytes of one word by different warps are not the same memory.
__global__ void neighbouring_bytes(int* out) {
  __shared__ unsigned char bytes[256];
  const int place = threadIdx.x % 32 * 8 + threadIdx.x / 32;  // the eight warps share every word
  bytes[place] = static_cast<unsigned char>(threadIdx.x);
  out[threadIdx.x] = bytes[place];
}

// Right: all read the first of their row, and after the barrier its owner alone reads and writes it.
__global__ void first_of_row(int* out) {
  __shared__ int tile[256];
  const int t = static_cast<int>(threadIdx.x), first = t / 8 * 8;
  tile[t] = t;
  __syncthreads();
  out[t] = tile[first];
  __syncthreads();
  if (t == first && tile[t] >= 0) tile[t] = out[t] + 1;
  __syncthreads();
  out[t] = tile[first];
}

int main() {
  int* out;
  cudaMalloc(&out, 256 * sizeof(int));
  read_after_write<<<2, 256>>>(out);
  write_after_read<<<2, 256>>>(out);
  write_after_write<<<2, 256>>>(out);
  producer_and_consumer<<<2, 256>>>(out);
  own_elements<<<2, 256>>>(out);
  neighbouring_bytes<<<2, 256>>>(out);
  first_of_row<<<2, 256>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
