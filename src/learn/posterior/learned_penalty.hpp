// The hierarchical penalty with its strengths integrated out. A strength is the precision of a
// normal prior; under a gamma law for it, the entries it governs have a multivariate Student law:
//
//   integral of Gamma(l | shape, rate) l^(m/2) exp(-l Q/2) dl   is proportional to   (rate +
//   Q/2)^-(shape + m/2)
//
// with m free entries whose squares sum to Q. So the log itself says how far experts differ and how
// steep the gate is. A sampler moves scales together with what they scale; alternating between the
// two (Gibbs) took four times the draws.
#pragma once

#include <span>
#include <vector>

#include "learn/mixture/penalty.hpp"

namespace otss {

struct GammaLaw {
  double shape = 1;
  double rate = 1;

  // So narrow that the strength is as good as known.
  static GammaLaw known(double strength) { return {1e6, 1e6 / strength}; }
};

struct LearnedPenalty {
  GammaLaw gate;  // of each context column: its slopes about their mean over experts
  GammaLaw gate_intercept;
  GammaLaw expert;  // experts about their mean, and the experts' intercepts
  GammaLaw center;  // the experts' mean
  GammaLaw baseline;
  std::vector<GammaLaw> gate_columns = {};  // one per context column, instead of `gate` for all

  // For contexts and factors in standardised units. Each column has a gate strength of its own:
  // most columns hardly matter to the gate of a real log, and a common strength would let them add
  // their noise.
  static LearnedPenalty standard(const MixtureLayout& layout);

  // Returns minus the log prior at theta (up to a constant) and adds its gradient.
  double add(const MixtureLayout& layout, std::span<const double> theta,
             std::span<double> gradient) const;

  // Adds the Hessian of the penalty whose strengths are their means given theta: never indefinite,
  // unlike add()'s own.
  void add_curvature(const MixtureLayout& layout, std::span<const double> theta,
                     Eigen::MatrixXd& hessian) const;

  // sum_k |G_kj - mean|^2 of each context column j.
  static std::vector<double> gate_squares(const MixtureLayout& layout,
                                          std::span<const double> theta);

  // Mean strengths given theta, for the record; the gate's is the one of its total prior variance.
  Penalty strengths(const MixtureLayout& layout, std::span<const double> theta) const;

  // Their geometric means over draws of theta: strengths are scales, so that one draw with a huge
  // strength must not be typical.
  Penalty typical_strengths(const MixtureLayout& layout,
                            const std::vector<std::vector<double>>& draws) const;
};

}  // namespace otss
