// Defines the hierarchical penalty of the soft mixture. The penalty is added to the summed loss. So
// a strength l is the precision of a normal prior, and does not depend on the number of rows.
//
//     1/2 l_expert sum_k |delta_k|^2 + 1/2 l_center |beta_0|^2    beta_k = beta_0 + delta_k,
//                                                                 minimised over beta_0
//   + 1/2 l_gate sum_k |G_k - mean G|^2                           G_k: gate slopes of expert k;
//                                                                 their mean is not penalised
//   + 1/2 l_gate_intercept sum_k (g_k - mean g)^2                 g: gate intercepts
//   + 1/2 l_baseline |psi|^2                                      psi: slopes of the baseline
//   + 1/2 l_expert |a|^2                                          a: expert intercepts
//
// Experts are shrunk towards their common centre beta_0, not towards zero. Exchanging two experts
// does not change the penalty.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "model/maps/mixture_layout.hpp"

namespace otss::internal {

struct Penalty {
  double gate = 1;
  double gate_intercept = 1;
  double expert = 1;
  double center = 0.1;
  double baseline = 0.1;
  // One relevance per context column: the gate slopes of the column have strength gate / relevance.
  // If empty, all relevances are 1.
  std::vector<double> relevance = {};

  // Returns the penalty at theta and adds the gradient of the penalty to `gradient`.
  double add(const MixtureLayout& layout, std::span<const double> theta,
             std::span<double> gradient) const;

  // Returns only the experts' terms of the penalty (delta_k, beta_0 and a), and adds their gradient
  // to `gradient`. `experts` has num_experts rows of num_factors + 1 entries.
  double add_experts(int num_experts, std::span<const double> experts,
                     std::span<double> gradient) const;

  // Adds the penalty's Hessian, which does not depend on theta, to `hessian`.
  void add_curvature(const MixtureLayout& layout, Eigen::MatrixXd& hessian) const;
};

}  // namespace otss::internal
