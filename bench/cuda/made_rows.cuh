// Rows for the benchmarks, made on the GPU: any number of rows without a file.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace otss::bench {

inline void require(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

// Returns a number between -1.7 and 1.7 that depends on `i` alone.
__host__ __device__ inline float noise(unsigned long long i) {
  i += 0x9e3779b97f4a7c15ULL;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9ULL;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<float>(static_cast<double>((i ^ (i >> 31)) >> 40) * (3.4 / 16777216.0) - 1.7);
}

// The numbers are f16 numbers, so that rows in f32 and in f16 have the same sums.
__global__ void fill_with_noise(float* values, unsigned long long count) {
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
    values[i] = __half2float(__float2half_rn(noise(i)));
}

// Stores tiles of 128 rows in f16, in groups of 32 rows (engine/half/half_rows.hpp).
__global__ void store_in_half(const float* tiles, unsigned long long count, int num_columns,
                              __half* halves) {
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    const unsigned long long tile = i / 128 / num_columns, column = i / 128 % num_columns;
    const unsigned long long group = tile * 4 + i % 128 / 32;
    halves[(group * num_columns + column) * 32 + i % 32] = __float2half_rn(tiles[i]);
  }
}

// Makes signed weights: most are 1 or -1, and a few rows do not count.
__global__ void fill_with_weights(float* values, unsigned long long count) {
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    const float value = noise(i * 7 + 3);
    values[i] = value > 1.6F ? 0.0F : value > 0.2F ? 1.0F : -1.0F;
  }
}

// Reads all numbers and does nothing else: the rate that memory allows.
__global__ void read_all(const float4* values, unsigned long long count, float* out) {
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (; i + 3 * step < count; i += 4 * step) {
    float4 four[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) four[j] = __ldcs(values + i + j * step);
#pragma unroll
    for (int j = 0; j < 4; ++j) sum += four[j].x + four[j].y + four[j].z + four[j].w;
  }
  if (sum == 12345.0F) *out = sum;
}

// Returns the median time of `start`, in milliseconds.
template <class Start>
float median_ms(int repeats, const Start& start) {
  cudaEvent_t begin, end;
  require(cudaEventCreate(&begin), "event");
  require(cudaEventCreate(&end), "event");
  std::vector<float> times;
  for (int i = -2; i < repeats; ++i) {
    require(cudaEventRecord(begin), "record");
    start();
    require(cudaEventRecord(end), "record");
    require(cudaEventSynchronize(end), "run");
    float ms = 0;
    require(cudaEventElapsedTime(&ms, begin, end), "time");
    if (i >= 0) times.push_back(ms);
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[repeats / 2];
}

}  // namespace otss::bench
