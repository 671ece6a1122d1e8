// The loss of rows that each go to one of K logistic experts, in two readings of "go":
//
//   kMixture   to an unknown one:         -log sum_k pi_k(x) P_k(y)     EM's observed-data loss
//   kFixed     to one known beforehand:   -log P_c(y)                   the gate is idle
//
// with P_k(1) = sigma(psi'[x,1] + beta_k'[z,1]) and pi = softmax(D [x,1]); theta stands as in
// model/mixture_layout.hpp. OTSS mixes linear predictors instead (engine/), which is another model
// unless pi is one-hot.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "learn/mixture/penalty.hpp"
#include "learn/problem/problem.hpp"
#include "optim/objective.hpp"

namespace otss {

enum class RoutingKind { kMixture, kFixed };

struct Routing {
  RoutingKind kind = RoutingKind::kMixture;
  std::vector<std::uint16_t> expert_of_row = {};  // of kFixed
};

// (summed loss + penalty) / total weight, in f64; the same bits for any number of threads.
class RoutedObjective final : public Objective {
 public:
  RoutedObjective(const Problem& problem, const MixtureLayout& layout, const Routing& routing,
                  const Penalty& penalty, int num_threads);

  std::size_t size() const override { return layout_.size(); }
  double evaluate(std::span<const double> theta, std::span<double> gradient) override;

  // The curvature EM's M step sees: that of the loss with the experts' responsibilities held as
  // they are. Positive definite with the penalty, and for kFixed the Hessian itself.
  Eigen::MatrixXd curvature(std::span<const double> theta) const;

 private:
  const Problem& problem_;
  MixtureLayout layout_;
  const Routing& routing_;
  const Penalty& penalty_;
  int num_threads_;
  std::vector<std::size_t> tiles_;  // those with a row that counts
};

}  // namespace otss
