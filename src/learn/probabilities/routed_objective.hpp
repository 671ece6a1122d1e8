// Computes the loss of rows that are each routed to one of K logistic experts. There are two kinds
// of routing:
//
//   kMixture   the expert is unknown:      -log sum_k pi_k(x) P_k(y)    EM's observed-data loss
//   kFixed     expert c is given:          -log P_c(y)                  the gate is not used
//
// where
//
//   P_k(1) = sigma(psi'[x,1] + beta_k'[z,1])     sigma: logistic function, psi: baseline
//   pi     = softmax(D [x,1])                    D: gate parameters
//
// The order of the parameters in theta is that of model/maps/mixture_layout.hpp. OTSS mixes linear
// predictors instead of probabilities (engine/). The two kinds of mixture are equal only if pi is
// one-hot.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "learn/mixture/penalty.hpp"
#include "learn/problem/problem.hpp"
#include "optim/objective.hpp"

namespace otss::internal {

enum class RoutingKind { kMixture, kFixed };

struct Routing {
  RoutingKind kind = RoutingKind::kMixture;
  std::vector<std::uint16_t> expert_of_row = {};  // for kFixed only
};

// Computes the objective (summed loss + penalty) / total row weight in f64. The value has the same
// bits for any number of threads.
class RoutedObjective final : public Objective {
 public:
  RoutedObjective(const Problem& problem, const MixtureLayout& layout, const Routing& routing,
                  const Penalty& penalty, int num_threads);

  std::size_t size() const override { return layout_.size(); }
  double evaluate(std::span<const double> theta, std::span<double> gradient) override;

  // Returns the curvature of EM's M step: the Hessian of the objective with the responsibilities
  // P(expert k | x, z, y) held fixed. With a penalty this matrix is positive definite. For kFixed
  // it is the exact Hessian.
  Eigen::MatrixXd curvature(std::span<const double> theta) const;

 private:
  template <class Visit>
  void for_each_tile(std::size_t part, std::size_t num_parts, const Visit& visit) const;
  // The curvature of the summed loss; only the lower triangle is filled.
  Eigen::MatrixXd curvature_of_mixed(std::span<const double> theta) const;
  Eigen::MatrixXd curvature_of_fixed(std::span<const double> theta) const;

  const Problem& problem_;
  MixtureLayout layout_;
  const Routing& routing_;
  const Penalty& penalty_;
  int num_threads_;
  std::vector<std::size_t> tiles_;  // the tiles that have a row with nonzero weight
};

}  // namespace otss::internal
