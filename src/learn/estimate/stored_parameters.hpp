// Brings the parameters of a mixture, and their covariance, into the form in which a model file
// stores them: in the log's units, and in the order of MixtureSize.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "learn/problem/problem.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

class StoredParameters {
 public:
  StoredParameters(const MixtureLayout& layout, const LoggedData& log, const Problem& problem);

  // Returns the parameters on which w(x) depends.
  std::vector<double> weights(std::span<const double> theta) const;
  // Returns the parameters of the baseline. Each of them is a sum of entries of theta.
  std::vector<double> baseline(std::span<const double> theta) const;

  struct Covariance {
    Eigen::MatrixXd weights, baseline;
    Eigen::MatrixXd cross;  // covariances between the baseline (rows) and the weights (columns)

    // Returns the covariance of all parameters together, those of the weights first.
    Eigen::MatrixXd joint() const;
  };
  // Returns the covariance of the stored parameters, given the covariance of theta.
  Covariance covariance(const Eigen::MatrixXd& of_theta) const;

 private:
  // The position in theta of each parameter of the weights, and the multiplier that converts the
  // parameter to the log's units.
  std::vector<Eigen::Index> indices_;
  std::vector<double> units_;
  // For each parameter of the baseline, the positions in theta of the entries whose sum it is.
  std::vector<std::vector<Eigen::Index>> sums_;
  double baseline_unit_ = 1;
};

}  // namespace otss::internal
