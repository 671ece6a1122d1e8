// The hierarchical penalty of the soft mixture, in counts of rows (summed loss + penalty): a
// strength is the precision of a normal prior, and does not change when rows are added.
//
//   beta_k = beta_0 + delta_k:   1/2 l_expert sum_k |delta_k|^2 + 1/2 l_center |beta_0|^2 beta_0
//   minimised out gate G (K symmetric rows):   1/2 l_gate sum_k |G_k - mean G|^2 the common part is
//   free 1/2 l_gate_intercept (same for intercepts) + 1/2 l_baseline |psi|^2 + 1/2 l_expert |a|^2
//   (a: expert intercepts)
//
// Shrinkage is towards the pooled fit, not towards zero, and no expert is special.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "model/maps/mixture_layout.hpp"

namespace otss {

struct Penalty {
  double gate = 1;
  double gate_intercept = 1;
  double expert = 1;
  double center = 0.1;
  double baseline = 0.1;
  std::vector<double> relevance =
      {};  // of each context column: its gate slopes have strength gate / relevance; empty: 1

  // Returns the penalty at theta and adds its gradient.
  double add(const MixtureLayout& layout, std::span<const double> theta,
             std::span<double> gradient) const;

  // The part on the experts alone (deltas, beta_0 and intercepts): rows of num_factors + 1 entries.
  double add_experts(int num_experts, std::span<const double> experts,
                     std::span<double> gradient) const;

  // Adds its (constant) Hessian.
  void add_curvature(const MixtureLayout& layout, Eigen::MatrixXd& hessian) const;
};

}  // namespace otss
