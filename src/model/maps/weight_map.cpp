#include "otss/model/weight_map.hpp"

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

}  // namespace otss
