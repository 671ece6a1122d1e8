#include "learn/problem/isa/contextual_kernel.hpp"

#include "data/log/tile_matrix.hpp"
#include "model/maps/isa/block_products.hpp"
#include "model/maps/isa/vector_exp.hpp"
#include "model/maps/isa/vector_log.hpp"

namespace otss::internal {
namespace {

void widen(std::size_t count, const float* from, double* to) {
  for (std::size_t i = 0; i < count * kTileRows; i += kLanes)
    store_unaligned(widened(from + i), to + i);
}

void linear_functions(const TileColumns& columns, const FunctionMatrix& functions, double* values) {
  linear<kTileRows>({columns.count, columns.first}, functions.num_functions,
                    {functions.first, functions.by_function, functions.by_column}, values);
}

void add_products_of_tile(const TileColumns& columns, const TileColumns& values, double* sums,
                          double* scratch) {
  const std::size_t size = values.count * columns.count;
  auto* const lanes = reinterpret_cast<Vector*>(scratch);
  for (std::size_t i = 0; i < size; ++i) lanes[i] = Vector{};
  add_products<kTileRows>({columns.count, columns.first}, values.count, values.first, lanes);
  // The lanes are read as numbers: taking them out of a register would take longer.
  const double* lane = scratch;
  for (std::size_t i = 0; i < size; ++i) {
    double sum = 0;
    for (int left = kLanes; left > 0; --left) sum += *lane++;
    sums[i] += sum;
  }
}

// tanh(a) is sign(a) (1 - e) / (1 + e) with e = exp(-2 |a|), which never overflows.
void tanh_of(std::size_t count, double* values) {
  for (std::size_t i = 0; i < count * kTileRows; i += kLanes) {
    const Vector a = load_unaligned(values + i);
    const Vector e = exp_of_nonpositive(-2 * larger(a, -a));
    const Vector size = (1 - e) / (1 + e);
    store_unaligned(a < 0 ? -size : size, values + i);
  }
}

double losses_of_tile(const float* signed_weights, const double* eta, double* derivatives) {
  Vector sum{};
  for (std::size_t i = 0; i < kTileRows; i += kLanes) {
    const Vector weight = widened(signed_weights + i);
    // `against` is -eta in rows with outcome 1 and eta in rows with outcome 0. It is positive where
    // the model predicts the wrong outcome.
    const Vector against = weight > 0 ? -load_unaligned(eta + i) : load_unaligned(eta + i);
    const Vector small = exp_of_nonpositive(-larger(against, -against));
    // The comparison is false for NaN, so that the loss of a predictor that is NaN is NaN.
    const Vector positive_part = against < 0 ? Vector{} : against;
    const Vector softplus = positive_part + log_of_positive(1 + small);
    const Vector probability = (against > 0 ? broadcast(1) : small) / (1 + small);
    sum += larger(weight, -weight) * softplus;
    store_unaligned(-weight * probability, derivatives + i);
  }
  return sum_of_lanes(sum);
}

}  // namespace

const ContextualKernel OTSS_ISA_NAMESPACE::kContextualKernel = {
    widen, linear_functions, add_products_of_tile, tanh_of, losses_of_tile};

}  // namespace otss::internal
