// Computes the linear predictors of rows. A lane of a vector is a row. The steps are the first two of
// mixture_kernel.cpp, without derivatives.
#include "engine/cpu/predictors_kernel.hpp"

#include <cstddef>

#include "engine/cpu/isa/linear_functions.hpp"
#include "engine/cpu/isa/vector_math.hpp"

namespace otss::internal {
namespace {

// Computes eta from the gate scores, the baseline and the experts' scores of one tile.
template <int K>
void mix_predictors(const double* context_rows, const double* expert_rows, double* eta) {
  using V = Vector<double>;
  for (std::size_t i = 0; i < kRows; i += kLanes<double>) {
    const auto score = [&](int k) { return k + 1 < K ? at(context_rows + k * kRows + i) : V{}; };
    V largest{};  // the last expert has gate score 0
#pragma GCC unroll 8
    for (int k = 0; k + 1 < K; ++k) largest = score(k) > largest ? score(k) : largest;
    V total{}, sum{};
#pragma GCC unroll 8
    for (int k = 0; k < K; ++k) {
      const V share = exp_of_nonpositive<double>(score(k) - largest);
      total += share;
      sum += share * at(expert_rows + k * kRows + i);
    }
    at(eta + i) = at(context_rows + (K - 1) * kRows + i) + sum / total;
  }
}

template <int K>
void predictors(const MixtureChunk& chunk, const double* theta, double* eta, void* workspace) {
  using Functions = LinearFunctions<double, K>;
  const std::size_t context_size = Functions::size(chunk.num_contexts);
  const std::size_t size = context_size + Functions::size(chunk.num_factors);
  auto* sums = static_cast<Vector<double>*>(workspace);
  auto* rows = reinterpret_cast<double*>(sums + size);
  auto* packed = rows + 2 * K * kRows;
  Functions contexts{chunk.num_contexts, packed, rows, sums};
  Functions factors{chunk.num_factors, packed + context_size, rows + K * kRows,
                    sums + context_size};
  contexts.begin(theta);
  factors.begin(theta + context_size);
  const std::size_t tile_size =
      static_cast<std::size_t>(chunk.num_contexts + chunk.num_factors) * kRows;
  for (std::size_t t = 0; t < chunk.num_tiles; ++t) {
    const std::size_t following = t + 1 < chunk.num_tiles ? t + 1 : t;
    const float* tile = chunk.features + chunk.tiles[t] * tile_size;
    Prefetch prefetch{chunk.features + chunk.tiles[following] * tile_size};
    contexts.forward(tile, prefetch);
    factors.forward(tile + chunk.num_contexts * kRows, prefetch);
    mix_predictors<K>(contexts.rows, factors.rows, eta + t * kRows);
  }
}

}  // namespace

PredictorsKernel OTSS_ISA_NAMESPACE::predictors_kernel(int num_experts) {
  constexpr PredictorsKernel kKernels[kMaxFastExperts] = {
      predictors<1>, predictors<2>, predictors<3>, predictors<4>,
      predictors<5>, predictors<6>, predictors<7>, predictors<8>};
  return kKernels[num_experts - 1];
}

}  // namespace otss::internal
