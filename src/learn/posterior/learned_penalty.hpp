// The hierarchical penalty with its strengths integrated out. A strength l is the precision of a
// normal prior; with a gamma distribution for l, the penalised entries have a multivariate Student
// distribution:
//
//   ∫ Gamma(l | shape, rate) l^(m/2) exp(-l Q/2) dl   ∝   (rate + Q/2)^-(shape + m/2)
//
// with m free entries whose squares sum to Q. So the log determines how much the experts differ and
// how steep the gate is. Sampling the entries with their scales integrated out is efficient;
// alternating between entries and scales (Gibbs) needed four times as many draws.
#pragma once

#include <span>
#include <vector>

#include "learn/mixture/penalty.hpp"

namespace otss {

struct GammaLaw {
  double shape = 1;
  double rate = 1;

  // A distribution so narrow that the strength is practically fixed.
  static GammaLaw known(double strength) { return {1e6, 1e6 / strength}; }
};

struct LearnedPenalty {
  GammaLaw gate;  // for each context column separately: its slopes about their mean over experts
  GammaLaw gate_intercept;
  GammaLaw expert;  // experts about their mean, and the experts' intercepts
  GammaLaw center;  // the experts' mean
  GammaLaw baseline;
  std::vector<GammaLaw> gate_columns = {};  // if not empty, one per context column replaces `gate`

  // Priors for contexts and factors in standardised units. Each column has its own gate strength:
  // most columns of real logs hardly matter to the gate, and with a common strength they would add
  // noise.
  static LearnedPenalty standard(const MixtureLayout& layout);

  // Returns -log prior at theta (up to a constant) and adds its gradient.
  double add(const MixtureLayout& layout, std::span<const double> theta,
             std::span<double> gradient) const;

  // Adds the Hessian of the penalty with each strength fixed at its mean given theta. Unlike the
  // Hessian of add() it is never indefinite.
  void add_curvature(const MixtureLayout& layout, std::span<const double> theta,
                     Eigen::MatrixXd& hessian) const;

  // sum_k |G_kj - mean_k G_kj|^2 of each context column j.
  static std::vector<double> gate_squares(const MixtureLayout& layout,
                                          std::span<const double> theta);

  // Mean strengths given theta, for the report. The gate's strength is the harmonic mean over the
  // columns, which has the same total prior variance.
  Penalty strengths(const MixtureLayout& layout, std::span<const double> theta) const;

  // Geometric means of these strengths over draws of theta: an arithmetic mean would be dominated
  // by the few draws with very large strengths.
  Penalty typical_strengths(const MixtureLayout& layout,
                            const std::vector<std::vector<double>>& draws) const;
};

}  // namespace otss
