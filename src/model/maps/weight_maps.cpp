#include "otss/model/weight_maps.hpp"

#include <cassert>
#include <stdexcept>

namespace otss {

LinearWeights::LinearWeights(int num_contexts, std::vector<double> slopes,
                             std::vector<double> intercepts)
    : num_contexts_(num_contexts), slopes_(std::move(slopes)), intercepts_(std::move(intercepts)) {
  assert(!intercepts_.empty() && slopes_.size() == intercepts_.size() * num_contexts_);
}

void LinearWeights::weights(std::span<const double> x, std::span<double> w) const {
  for (std::size_t j = 0; j < w.size(); ++j) {
    double sum = intercepts_[j];
    for (std::size_t i = 0; i < x.size(); ++i) sum += slopes_[j * x.size() + i] * x[i];
    w[j] = sum;
  }
}

namespace {

// Divides rows of a J×n matrix by the scales.
std::vector<double> scaled_rows(std::span<const double> rows, std::span<const double> scales) {
  const std::size_t columns = rows.size() / scales.size();
  std::vector<double> scaled(rows.begin(), rows.end());
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] /= scales[i / columns];
  return scaled;
}

}  // namespace

std::shared_ptr<const WeightMap> in_units(const WeightMap& map, std::span<const double> scales) {
  assert(static_cast<int>(scales.size()) == map.num_factors());
  if (const auto* mixture = dynamic_cast<const SoftMixture*>(&map)) {
    std::vector<double> experts(mixture->experts().begin(), mixture->experts().end());
    for (std::size_t i = 0; i < experts.size(); ++i) experts[i] /= scales[i % scales.size()];
    return std::make_shared<SoftMixture>(mixture->shared_gate(), map.num_factors(),
                                         std::move(experts));
  }
  if (const auto* linear = dynamic_cast<const LinearWeights*>(&map)) {
    return std::make_shared<LinearWeights>(linear->num_contexts(),
                                           scaled_rows(linear->slopes(), scales),
                                           scaled_rows(linear->intercepts(), scales));
  }
  if (const auto* network_map = dynamic_cast<const NetworkWeights*>(&map)) {
    Network network = network_map->network();
    network.output_slopes = scaled_rows(network.output_slopes, scales);
    network.output_intercepts = scaled_rows(network.output_intercepts, scales);
    return std::make_shared<NetworkWeights>(std::move(network));
  }
  throw std::logic_error("a weight map of an unknown kind");
}

}  // namespace otss
