#include "learn/estimate/stored_parameters.hpp"

namespace otss::internal {

using Eigen::Index;
using Eigen::MatrixXd;

StoredParameters::StoredParameters(const MixtureLayout& layout, const LoggedData& log,
                                   const Problem& problem)
    : baseline_unit_(problem.outcomes.units().scale) {
  const auto add = [&](std::size_t index, double unit) {
    indices_.push_back(static_cast<Index>(index));
    units_.push_back(unit);
  };
  for (std::size_t i = 0; i < layout.baseline(); ++i) add(i, 1);
  for (int k = 0; k < layout.num_experts; ++k) {
    for (int j = 0; j < layout.num_factors; ++j)
      add(layout.expert(k) + j, problem.outcomes.units().scale / log.encoder().factors[j].scale);
  }
  const auto first = static_cast<Index>(layout.baseline());
  for (int i = 0; i < layout.num_contexts; ++i) sums_.push_back({first + i});
  for (int k = 0; k < layout.num_experts; ++k) {
    sums_.push_back(
        {first + layout.num_contexts, static_cast<Index>(layout.expert(k)) + layout.num_factors});
  }
}

std::vector<double> StoredParameters::weights(std::span<const double> theta) const {
  std::vector<double> values;
  for (std::size_t i = 0; i < indices_.size(); ++i)
    values.push_back(units_[i] * theta[indices_[i]]);
  return values;
}

std::vector<double> StoredParameters::baseline(std::span<const double> theta) const {
  std::vector<double> values;
  for (const std::vector<Index>& sum : sums_) {
    double value = 0;
    for (const Index index : sum) value += theta[index];
    values.push_back(baseline_unit_ * value);
  }
  return values;
}

StoredParameters::Covariance StoredParameters::covariance(const MatrixXd& of_theta) const {
  const auto size = static_cast<Index>(indices_.size());
  const Eigen::Map<const Eigen::VectorXd> units(units_.data(), size);
  MatrixXd to_baseline = MatrixXd::Zero(static_cast<Index>(sums_.size()), of_theta.rows());
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    for (const Index index : sums_[i]) to_baseline(static_cast<Index>(i), index) = baseline_unit_;
  }
  const MatrixXd with_baseline = to_baseline * of_theta;
  return {units.asDiagonal() * of_theta(indices_, indices_) * units.asDiagonal(),
          with_baseline * to_baseline.transpose(),
          with_baseline(Eigen::all, indices_) * units.asDiagonal()};
}

MatrixXd StoredParameters::Covariance::joint() const {
  MatrixXd all(weights.rows() + baseline.rows(), weights.cols() + baseline.cols());
  all << weights, cross.transpose(), cross, baseline;
  return all;
}

}  // namespace otss::internal
