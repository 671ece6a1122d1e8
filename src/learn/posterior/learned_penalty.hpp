// Defines the hierarchical penalty with its strengths integrated out. A strength l is the precision
// of a normal prior. If l has a gamma distribution, the penalised parameters have a multivariate
// Student distribution:
//
//   ∫ Gamma(l | shape, rate) l^(m/2) exp(-l Q/2) dl   ∝   (rate + Q/2)^-(shape + m/2)
//
// Here m is the number of free parameters that l penalises, and Q is the sum of their squares. So
// the log determines how much the experts differ and how steep the gate is. Sampling parameters and
// strengths in turn (Gibbs) needed four times as many draws.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "learn/mixture/penalty.hpp"

namespace otss::internal {

struct GammaLaw {
  double shape = 1;
  double rate = 1;

  // Returns a distribution so narrow that the strength is practically fixed.
  static GammaLaw known(double strength) { return {1e6, 1e6 / strength}; }
};

// Describes corresponding parameters v_k of the experts k, such as their weights for one factor.
// They are the entries first, first + stride, … of theta, `count` in all. They add the quadratic
// form
//
//   diagonal sum_k v_k^2 - shared (sum_k v_k)^2
//
// to the Q of their group, which is the set of parameters that have one common strength.
struct PenaltyColumn {
  int group;  // the index of the strength in LearnedPenalty::laws()
  std::size_t first;
  int stride;
  int count;
  double diagonal;
  double shared;
  int freedom;  // rank of this quadratic form
};

std::vector<PenaltyColumn> penalty_columns(const MixtureLayout& layout);

struct LearnedPenalty {
  // Each field is the prior distribution of a strength. `gate` is for the gate slopes on one
  // context column, as deviations from their mean over the experts; each column has a strength of
  // its own.
  GammaLaw gate;
  GammaLaw gate_intercept;
  GammaLaw expert;  // for the experts' deviations from their mean, and for their intercepts
  GammaLaw center;  // for the experts' mean
  GammaLaw baseline;
  // One distribution per context column, which replaces `gate`. If this list is empty, `gate` holds
  // for every column.
  std::vector<GammaLaw> gate_columns = {};

  // Returns the priors that suit contexts and factors in standardised units. Each context column
  // has its own gate strength: in real logs most columns hardly affect the gate, and with a common
  // strength these columns would add noise.
  static LearnedPenalty standard(const MixtureLayout& layout);

  // Returns the prior distribution of the strength of each group.
  std::vector<GammaLaw> laws(const MixtureLayout& layout) const;

  // Returns -log(prior density) at theta, up to a constant, and adds its gradient to `gradient`.
  double add(const MixtureLayout& layout, std::span<const double> theta,
             std::span<double> gradient) const;

  // Adds to `hessian` the Hessian of the penalty with each strength fixed at its mean given theta.
  // Unlike the Hessian of add(), this matrix is never indefinite.
  void add_curvature(const MixtureLayout& layout, std::span<const double> theta,
                     Eigen::MatrixXd& hessian) const;

  // Returns sum_k |G_kj - mean_k G_kj|^2 for each context column j, where G_kj is the gate slope of
  // expert k on column j.
  static std::vector<double> gate_squares(const MixtureLayout& layout,
                                          std::span<const double> theta);

  // Returns the mean strengths given theta, for the report. The gate's strength is the harmonic
  // mean over the columns: if all columns had this strength, the total prior variance would be the
  // same.
  Penalty strengths(const MixtureLayout& layout, std::span<const double> theta) const;

  // Computes strengths() for each draw of theta and returns the geometric means. An arithmetic mean
  // would be dominated by the few draws with very large strengths.
  Penalty typical_strengths(const MixtureLayout& layout,
                            const std::vector<std::vector<double>>& draws) const;
};

}  // namespace otss::internal
