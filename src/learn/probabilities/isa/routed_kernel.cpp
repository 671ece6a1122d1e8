// A lane of a vector is a row. The two passes over a tile have the symbols of routed_objective.hpp:
// first the shares pi_k replace the gate scores, and the likelihoods P_k(y) replace the experts'
// functions; then both are replaced by what was asked for.
#include "learn/probabilities/isa/routed_kernel.hpp"

#include "data/log/tile_matrix.hpp"
#include "model/maps/isa/block_softmax.hpp"
#include "model/maps/isa/vector_log.hpp"

namespace otss::internal {
namespace {

// Linear predictors are limited to this absolute value. At this limit the probability is 0 or 1 in
// f64, and no likelihood is denormal.
constexpr double kLargestPredictor = 500;

// Returns the likelihood of an outcome whose margin is `margin`: the linear predictor, with the sign
// that makes it large if the outcome is likely.
inline Vector likelihood_of(Vector margin) {
  const Vector size = smaller(larger(margin, -margin), broadcast(kLargestPredictor));
  const Vector tail = exp_of_nonpositive(-size);
  return (margin > 0 ? broadcast(1) : tail) / (1 + tail);
}

// Replaces the contexts' functions by the shares, and the experts' functions by the likelihoods.
void evaluate(const RoutedTile& tile) {
  double* const baseline = tile.contexts + (tile.num_experts - 1) * kTileRows;
  for (std::size_t i = 0; i < kTileRows; i += kLanes) {
    const Vector weight = widened(tile.signed_weights + i);
    const Vector common = load_unaligned(baseline + i);
    for (std::size_t k = 0; k < tile.num_experts; ++k) {
      double* const expert = tile.experts + k * kTileRows + i;
      const Vector eta = load_unaligned(expert) + common;
      store_unaligned(likelihood_of(weight > 0 ? eta : -eta), expert);
    }
  }
  softmax<kTileRows>(tile.num_experts, tile.contexts);
}

// Returns sum_k pi_k P_k(y) of the rows from row i on.
inline Vector mixed_likelihood(const RoutedTile& tile, std::size_t i) {
  Vector mixed{};
  for (std::size_t k = 0; k < tile.num_experts * kTileRows; k += kTileRows)
    mixed += load_unaligned(tile.contexts + k + i) * load_unaligned(tile.experts + k + i);
  return mixed;
}

double slopes(const RoutedTile& tile) {
  evaluate(tile);
  Vector loss{};
  for (std::size_t i = 0; i < kTileRows; i += kLanes) {
    const Vector signed_weight = widened(tile.signed_weights + i);
    const Vector weight = larger(signed_weight, -signed_weight);
    const Vector mixed = mixed_likelihood(tile, i);
    loss -= weight * log_of_positive(mixed);
    Vector sum{};
    for (std::size_t k = 0; k < tile.num_experts * kTileRows; k += kTileRows) {
      const Vector share = load_unaligned(tile.contexts + k + i);
      const Vector likelihood = load_unaligned(tile.experts + k + i);
      const Vector responsibility = share * likelihood / mixed;
      const Vector slope = -signed_weight * responsibility * (1 - likelihood);
      sum += slope;
      store_unaligned(weight * (share - responsibility), tile.contexts + k + i);
      store_unaligned(slope, tile.experts + k + i);
    }
    store_unaligned(sum, tile.contexts + (tile.num_experts - 1) * kTileRows + i);
  }
  return sum_of_lanes(loss);
}

void curvatures(const RoutedTile& tile) {
  evaluate(tile);
  for (std::size_t i = 0; i < kTileRows; i += kLanes) {
    const Vector signed_weight = widened(tile.signed_weights + i);
    const Vector weight = larger(signed_weight, -signed_weight);
    const Vector mixed = mixed_likelihood(tile, i);
    Vector sum{};
    for (std::size_t k = 0; k < tile.num_experts * kTileRows; k += kTileRows) {
      const Vector likelihood = load_unaligned(tile.experts + k + i);
      const Vector responsibility = load_unaligned(tile.contexts + k + i) * likelihood / mixed;
      const Vector curvature = weight * responsibility * likelihood * (1 - likelihood);
      sum += curvature;
      store_unaligned(curvature, tile.experts + k + i);
    }
    store_unaligned(sum, tile.contexts + (tile.num_experts - 1) * kTileRows + i);
  }
}

}  // namespace

const RoutedKernel OTSS_ISA_NAMESPACE::kRoutedKernel = {slopes, curvatures};

}  // namespace otss::internal
