// One thread per context. The copies between host and card take longer than the kernel.
#include <cmath>
#include <cstddef>

#include "decide/cuda/weights_kernel.cuh"

namespace otss::internal::cuda {
namespace {

constexpr int kThreads = 64;

// The numbers of this thread's experts, in shared memory.
struct Shares {
  double* first;
  __device__ double& operator[](int k) const { return first[k * kThreads]; }
};

__device__ double score(const WeightsPass& pass, const double* x, int k) {
  const double* const slopes = pass.slopes + static_cast<std::size_t>(k) * pass.num_contexts;
  double sum = pass.intercepts[k];
  for (int c = 0; c < pass.num_contexts; ++c) sum += slopes[c] * x[c];
  return sum;
}

// Computes the shares of a member's experts: their softmax, times the member's weight.
__device__ void share(const WeightsPass& pass, const double* x, int member, const Shares& shares) {
  const int begin = pass.member_begin[member], end = pass.member_begin[member + 1];
  double largest = -INFINITY;
  for (int k = begin; k < end; ++k) largest = fmax(largest, shares[k] = score(pass, x, k));
  double sum = 0;
  for (int k = begin; k < end; ++k) sum += shares[k] = exp(shares[k] - largest);
  for (int k = begin; k < end; ++k) shares[k] *= pass.member_weights[member] / sum;
}

__global__ void weights(const __grid_constant__ WeightsPass pass) {
  extern __shared__ double numbers[];
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= pass.num_rows) return;
  const Shares shares{numbers + threadIdx.x};
  const double* const x = pass.x + static_cast<std::size_t>(row) * pass.num_contexts;
  for (int member = 0; member < pass.num_members; ++member) share(pass, x, member, shares);
  for (int j = 0; j < pass.num_factors; ++j) {
    double sum = 0;
    for (int k = 0; k < pass.num_experts; ++k)
      sum += shares[k] * pass.experts[static_cast<std::size_t>(k) * pass.num_factors + j];
    pass.w[static_cast<std::size_t>(row) * pass.num_factors + j] = sum;
  }
}

}  // namespace

cudaError_t launch_weights(const WeightsPass& pass, cudaStream_t stream) {
  static_assert(kMostWeightExperts * kThreads * sizeof(double) <= 48 * 1024);
  const int blocks = (pass.num_rows + kThreads - 1) / kThreads;
  weights<<<blocks, kThreads, pass.num_experts * kThreads * sizeof(double), stream>>>(pass);
  return cudaGetLastError();
}

}  // namespace otss::internal::cuda
