// A thread block reads one tile after the other. For each tile its threads compute the derivatives of
// eta by the 2K linear functions of the rows, times sqrt(w v). J is their product with the columns: the
// block makes its two parts of J for some rows at a time in shared memory, and multiplies them.
#include "engine/cuda/gauss_newton_kernel.cuh"
#include "engine/cuda/general_row.cuh"

namespace otss::internal::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kRowsAtOnce = 16;
constexpr int kSide = 4;  // a thread adds up kSide × kSide entries

// A column of J: a derivative times a column of the log, or times 1.
struct JacobianColumn {
  int value = -1;   // which of the 2K derivatives; -1 beyond the last parameter
  int column = -1;  // which column of the log; -1: the intercept

  __device__ JacobianColumn(const GaussNewtonPass& pass, int parameter) {
    const int p = pass.num_contexts, J = pass.num_factors, K = pass.num_experts;
    const int first_expert = K * (p + 1);
    if (parameter >= first_expert + K * (J + 1)) return;
    const bool is_context = parameter < first_expert;
    const int own = is_context ? parameter : parameter - first_expert;
    const int width = (is_context ? p : J) + 1;
    value = own / width + (is_context ? 0 : K);
    if (own % width + 1 < width) column = own % width + (is_context ? 0 : p);
  }

  template <class Columns>
  __device__ double at(const double* derivatives, const Columns& columns, int row) const {
    if (value < 0) return 0;
    const double by_value = derivatives[value * kRows + row];
    return column < 0 ? by_value : by_value * static_cast<double>(columns.at(column, row));
  }
};

__device__ double curvature(OutputFamily::Kind family, double eta) {
  switch (family) {
    case OutputFamily::kBernoulli: {
      const double tail = exp(-fabs(eta));
      return tail / ((1 + tail) * (1 + tail));
    }
    case OutputFamily::kGaussian: return 1;
    case OutputFamily::kPoisson: return exp(eta);
  }
  return 0;
}

// Computes the derivatives of a tile's rows, times sqrt(w v). Half of the threads read the contexts,
// the other half the factors.
template <class Columns>
__device__ void derive(const GaussNewtonPass& pass, std::uint64_t tile, const Columns& columns,
                       double* derivatives) {
  const int p = pass.num_contexts, J = pass.num_factors, K = pass.num_experts;
  const int row = static_cast<int>(threadIdx.x) % kRows;
  if (threadIdx.x < kRows) {
    apply(pass.theta, K, columns, 0, p, row, derivatives);
  } else {
    apply(pass.theta + K * (p + 1), K, columns, p, J, row, derivatives + K * kRows);
  }
  __syncthreads();
  if (threadIdx.x < kRows) {
    const double weight = fabs(static_cast<double>(pass.signed_weights[tile * kRows + row]));
    const double eta = differentiate(K, row, derivatives);
    const double squared = weight > 0 ? weight * curvature(pass.family, eta) : 0;
    scale(K, row, sqrt(squared), derivatives);
  }
  __syncthreads();
}

using Part = double[kRowsAtOnce][kMatrixBlock];

// Adds the products of two parts of J to the thread's entries.
__device__ void multiply(const Part& rows, const Part& columns, double (&sums)[kSide][kSide]) {
  const int i0 = static_cast<int>(threadIdx.x) / (kMatrixBlock / kSide) * kSide;
  const int j0 = static_cast<int>(threadIdx.x) % (kMatrixBlock / kSide) * kSide;
#pragma unroll
  for (int r = 0; r < kRowsAtOnce; ++r) {
#pragma unroll
    for (int i = 0; i < kSide; ++i)
#pragma unroll
      for (int j = 0; j < kSide; ++j) sums[i][j] += rows[r][i0 + i] * columns[r][j0 + j];
  }
}

// Returns the place of block number `index` in the lower triangle.
struct BlockPlace {
  int row = 0, column = 0;

  __device__ explicit BlockPlace(int index) {
    while ((row + 1) * (row + 2) / 2 <= index) ++row;
    column = index - row * (row + 1) / 2;
  }
};

template <class Columns>
__global__ void __launch_bounds__(kThreads)
    gauss_newton(const __grid_constant__ GaussNewtonPass pass) {
  extern __shared__ double derivatives[];
  __shared__ Part row_part, column_part;
  const BlockPlace place(static_cast<int>(blockIdx.x));
  // A thread makes one column of J of each part, for every fourth row.
  const int own = static_cast<int>(threadIdx.x) % kMatrixBlock;
  const int first_row = static_cast<int>(threadIdx.x) / kMatrixBlock;
  const JacobianColumn of_row(pass, place.row * kMatrixBlock + own);
  const JacobianColumn of_column(pass, place.column * kMatrixBlock + own);
  double sums[kSide][kSide] = {};

  for (std::uint64_t tile = blockIdx.y; tile < pass.num_tiles; tile += gridDim.y) {
    const Columns columns(pass.features, tile, pass.num_contexts + pass.num_factors);
    derive(pass, tile, columns, derivatives);
    for (int begin = 0; begin < kRows; begin += kRowsAtOnce) {
      for (int r = first_row; r < kRowsAtOnce; r += kThreads / kMatrixBlock) {
        row_part[r][own] = of_row.at(derivatives, columns, begin + r);
        column_part[r][own] = of_column.at(derivatives, columns, begin + r);
      }
      __syncthreads();
      multiply(row_part, column_part, sums);
      __syncthreads();
    }
  }

  double* const out = pass.sums + (static_cast<std::size_t>(blockIdx.y) * gridDim.x + blockIdx.x) *
                                      kMatrixBlock * kMatrixBlock;
  const int i0 = static_cast<int>(threadIdx.x) / (kMatrixBlock / kSide) * kSide;
  const int j0 = static_cast<int>(threadIdx.x) % (kMatrixBlock / kSide) * kSide;
#pragma unroll
  for (int i = 0; i < kSide; ++i)
#pragma unroll
    for (int j = 0; j < kSide; ++j) out[(i0 + i) * kMatrixBlock + j0 + j] += sums[i][j];
}

}  // namespace

cudaError_t launch_gauss_newton(const GaussNewtonPass& pass, int num_parts, cudaStream_t stream) {
  const auto bytes = static_cast<int>(2 * pass.num_experts * kRows * sizeof(double));
  const auto kernel =
      pass.storage == Storage::kSingle ? gauss_newton<SingleColumns> : gauss_newton<HalfColumns>;
  const cudaError_t set =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (set != cudaSuccess) return set;
  kernel<<<dim3(pass.num_blocks(), num_parts), kThreads, bytes, stream>>>(pass);
  return cudaGetLastError();
}

}  // namespace otss::internal::cuda
