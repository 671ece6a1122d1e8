#include "lab/journey/standardizer.hpp"

#include <algorithm>
#include <cmath>

namespace otss::internal {

Standardizer::Standardizer(std::span<const double> matrix, std::size_t num_columns)
    : means_(num_columns, 0.0), scales_(num_columns, 0.0) {
  const double share = static_cast<double>(num_columns) / static_cast<double>(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) means_[i % num_columns] += matrix[i];
  for (double& mean : means_) mean *= share;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const double deviation = matrix[i] - means_[i % num_columns];
    scales_[i % num_columns] += deviation * deviation;
  }
  for (double& scale : scales_) {
    scale = std::sqrt(scale * share);
    if (scale < 1e-12) scale = 1;
  }
}

void Standardizer::apply(std::span<double> matrix, double limit) const {
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const std::size_t j = i % means_.size();
    matrix[i] = std::clamp((matrix[i] - means_[j]) / scales_[j], -limit, limit);
  }
}

}  // namespace otss::internal
