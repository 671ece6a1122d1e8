#include "model/maps/weight_maps.hpp"

#include <cassert>

namespace otss::internal {

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

}  // namespace otss::internal
