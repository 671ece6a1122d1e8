// Computes a start for a mixture of probabilities. If rows differ in their weights for reasons that
// the contexts do not show, the pooled fit is wrong in a way that depends on the factors: the
// outcomes of rows with extreme predictions are less certain than predicted. Let w = c + d be the
// weights of a row, with a random d of mean 0 and covariance S. The derivative of the log-likelihood
// with respect to S, at S = 0, is half of
//
//   M = sum_i (y_i - p_i) (1 - 2 p_i) z_i z_i'       p_i: probability that the pooled fit predicts
//
// (the information matrix test of White 1982). The directions d with the largest d'M d, relative to
// the information d'H d of the pooled fit, are those in which the log shows most variation. The
// experts start on both sides of the pooled weights along these directions.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "learn/problem/problem.hpp"

namespace otss::internal {

class TasteStart {
 public:
  // `pooled` is the fitted theta of problem.layout(1). Precondition: outcomes are 0/1.
  TasteStart(const Problem& problem, std::span<const double> pooled);

  // Returns a start with the layout problem.layout(num_experts). The K experts are the vertices of a
  // simplex, which the first K - 1 directions span. All shares are equal.
  std::vector<double> start(int num_experts) const;

  // Column m is direction m, the one with most variation first. It is scaled so that the mean over
  // rows of p_i (1 - p_i) (z_i'd)^2 is 1.
  const Eigen::MatrixXd& directions() const { return directions_; }

 private:
  MixtureLayout pooled_layout_;
  std::vector<double> pooled_;
  Eigen::MatrixXd directions_;
};

}  // namespace otss::internal
