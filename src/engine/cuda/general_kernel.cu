// A thread block works on one tile at a time; a thread holds one row. The 2K values of the rows, and
// later their derivatives, are in shared memory, as are the block's sums.
#include "engine/cuda/general_kernel.cuh"
#include "engine/cuda/general_row.cuh"
#include "engine/cuda/warp.cuh"

namespace otss::internal::cuda {
namespace {

constexpr int kWarps = kRows / 32;

struct Lost {
  double loss, by_eta;
};

// The formulas are those of model/family_formulas.hpp.
template <class Real>
__device__ Lost lose(OutputFamily::Kind family, Real eta, Real outcome) {
  switch (family) {
    case OutputFamily::kBernoulli: {
      const Real margin = outcome > 0 ? eta : -eta;
      const Real tail = exp(-fabs(margin));
      const Real slope = (margin > 0 ? tail : Real(1)) / (Real(1) + tail);
      return {fmax(-margin, Real(0)) + log1p(tail), outcome > 0 ? -slope : slope};
    }
    case OutputFamily::kGaussian: {
      const Real difference = eta - outcome;
      return {difference * difference / 2, difference};
    }
    case OutputFamily::kPoisson: {
      const Real mean = exp(eta);
      const Real surprise = outcome > 0 ? outcome * (log(outcome) - eta) : Real(0);
      return {mean - outcome + surprise, mean - outcome};
    }
  }
  return {};
}

// Replaces the 2K values of a row by the derivatives of its loss, and returns the loss.
template <class Real>
__device__ double mix(const GeneralPass& pass, std::uint64_t tile, int row, Real* values) {
  const std::size_t index = tile * kRows + row;
  const Real offset = pass.offsets == nullptr ? Real(0) : Real(pass.offsets[index]);
  const Real eta = offset + differentiate(pass.num_experts, row, values);
  const float signed_weight = pass.signed_weights[index];
  const Real weight = fabsf(signed_weight);
  const Real outcome = pass.outcomes == nullptr ? Real(signed_weight) : Real(pass.outcomes[index]);
  Lost lost{0, 0};
  if (weight > 0) lost = lose(pass.family, eta, outcome);
  scale(pass.num_experts, row, weight * Real(lost.by_eta), values);
  return weight * lost.loss;
}

// Adds derivatives' columns to the block's sums. Each sum belongs to one warp, which takes the rows
// in a fixed order.
template <class Real, class Columns>
__device__ void add_products(const Real* by_value, int num_functions, const Columns& columns,
                             int first_column, int num_columns, double* sums) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = warp; i < num_functions * (num_columns + 1); i += kWarps) {
    const int k = i / (num_columns + 1), c = i % (num_columns + 1);
    double sum = 0;
    for (int row = lane; row < kRows; row += 32)
      sum += static_cast<double>(by_value[k * kRows + row]) *
             (c < num_columns ? static_cast<double>(columns.at(first_column + c, row)) : 1.0);
    sum = sum_of_lanes(sum);
    if (lane == 0) sums[i] += sum;
  }
}

template <class Real, class Columns>
__global__ void __launch_bounds__(kRows) general(const __grid_constant__ GeneralPass pass) {
  extern __shared__ double shared[];
  const int K = pass.num_experts, p = pass.num_contexts, J = pass.num_factors;
  const int first_expert = K * (p + 1), size = first_expert + K * (J + 1);
  double* const sums = shared;
  Real* const values = reinterpret_cast<Real*>(shared + size + kWarps);
  const int row = threadIdx.x;
  for (int i = row; i < size + kWarps; i += kRows) sums[i] = 0;
  double loss = 0;

  for (std::uint64_t t = blockIdx.x; t < pass.num_tiles; t += gridDim.x) {
    const Columns columns(pass.features, t, p + J);
    apply(pass.theta, K, columns, 0, p, row, values);
    apply(pass.theta + first_expert, K, columns, p, J, row, values + K * kRows);
    loss += mix(pass, t, row, values);
    __syncthreads();
    add_products(values, K, columns, 0, p, sums);
    add_products(values + K * kRows, K, columns, p, J, sums + first_expert);
    __syncthreads();
  }

  loss = sum_of_lanes(loss);
  if (row % 32 == 0) sums[size + row / 32] = loss;
  __syncthreads();
  double* const out = pass.sums + static_cast<std::size_t>(blockIdx.x) * (size + 1);
  for (int i = row; i < size; i += kRows) out[i] += sums[i];
  if (row == 0) {
    double total = 0;
    for (int w = 0; w < kWarps; ++w) total += sums[size + w];
    out[size] += total;
  }
}

constexpr int kParts = 16;  // the threads that share one sum

__global__ void add_in_order(const double* from, std::size_t stride, int parts, int count,
                             double* to) {
  __shared__ double partial[kParts][32];
  const int i = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  double total = 0;
  if (i < count) {
#pragma unroll 8
    for (int q = static_cast<int>(threadIdx.y); q < parts; q += kParts)
      total += from[q * stride + i];
  }
  partial[threadIdx.y][threadIdx.x] = total;
  __syncthreads();
  if (threadIdx.y > 0 || i >= count) return;
  for (int q = 1; q < kParts; ++q) total += partial[q][threadIdx.x];
  to[i] = total;
}

template <class Columns>
auto general_kernel(Precision precision) {
  return precision == Precision::kSingle ? general<float, Columns> : general<double, Columns>;
}

}  // namespace

std::size_t general_shared_bytes(const GeneralPass& pass, Precision precision) {
  const std::size_t real = precision == Precision::kSingle ? sizeof(float) : sizeof(double);
  const std::size_t size = pass.num_experts * (pass.num_contexts + pass.num_factors + 2);
  return (size + kWarps) * sizeof(double) + 2 * pass.num_experts * kRows * real;
}

cudaError_t launch_general(const GeneralPass& pass, Precision precision, int num_blocks,
                           cudaStream_t stream) {
  const auto kernel = pass.storage == Storage::kSingle ? general_kernel<SingleColumns>(precision)
                                                       : general_kernel<HalfColumns>(precision);
  const std::size_t bytes = general_shared_bytes(pass, precision);
  const cudaError_t set = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(bytes));
  if (set != cudaSuccess) return set;
  kernel<<<num_blocks, kRows, bytes, stream>>>(pass);
  return cudaGetLastError();
}

cudaError_t launch_add_in_order(const double* from, std::size_t stride, int parts, int count,
                                double* to, cudaStream_t stream) {
  add_in_order<<<(count + 31) / 32, dim3(32, kParts), 0, stream>>>(from, stride, parts, count, to);
  return cudaGetLastError();
}

}  // namespace otss::internal::cuda
