#include "otss/model/weight_map.hpp"

#include <cassert>
#include <vector>

namespace otss {

void WeightMap::weights(std::size_t rows, std::span<const double> x, std::span<double> w) const {
  const std::size_t p = num_contexts();
  const std::size_t num_weights = num_factors();
  for (std::size_t row = 0; row < rows; ++row) {
    weights(x.subspan(row * p, p), w.subspan(row * num_weights, num_weights));
  }
}

double WeightMap::score(std::span<const double> x, std::span<const double> z) const {
  std::vector<double> w(num_factors());
  weights(x, w);
  double sum = 0;
  for (std::size_t j = 0; j < w.size(); ++j) sum += w[j] * z[j];
  return sum;
}

const char* gate_word(GateKind kind) {
  switch (kind) {
    case GateKind::kLinear: return "linear";
    case GateKind::kQuadratic: return "quadratic";
    case GateKind::kNetwork: return "mlp";
    case GateKind::kOneHot: return "one-hot";
    case GateKind::kCenters: return "fixed";
    case GateKind::kAverage: return "average";
  }
  assert(false);
  return "";
}

}  // namespace otss
