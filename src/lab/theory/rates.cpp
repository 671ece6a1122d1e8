#include "lab/theory/rates.hpp"

#include <cmath>
#include <vector>

#include "lab/theory/hard_regions.hpp"
#include "lab/theory/rate_fits.hpp"
#include "lab/theory/soft_likelihood.hpp"

namespace otss::internal {
namespace {

double hard_error(const RateLog& log, LogisticFit how) {
  const HardRegions regions = fit_hard_regions(log, rate_regions(log.num_rows()), how);
  return rate_weight_error([&](double x) { return regions.at(x); }, RateShare::kStraight,
                           regions.num_regions());
}

// Returns x shifted and scaled to mean 0 and variance 1, as in a real fit.
double standardised(double x) { return std::sqrt(12.0) * (x - 0.5); }

// Fits gate and experts together, and returns the error of this fit. The gate is linear in
// column(x) and starts with the slope 1. If column(x) is logit α*(x), the fit thus starts at the
// true gate; the theorem is about the optimum near the true gate.
double joint_error(const RateLog& log, const RealFunction& column) {
  const Problem problem = rate_problem(log, column);
  const MixtureLayout layout = problem.layout(2);
  std::vector<double> start(layout.size(), 0.0);
  start[layout.gate(0)] = 1;
  const std::vector<double> theta = maximise_likelihood(problem, 2, start).x;
  return rate_weight_error(rate_mixture(theta, layout, column), RateShare::kStraight, 4);
}

}  // namespace

RateErrors rate_errors(std::uint64_t seed, int log2_n) {
  const RateLog log = draw_rate_log(seed, log2_n);
  return {hard_error(log, LogisticFit::kBiasReduced),
          hard_error(log, LogisticFit::kMaximumLikelihood),
          rate_weight_error(fit_rate_oracle(log, RateShare::kStraight), RateShare::kStraight, 1),
          joint_error(log, logit_of_share(RateShare::kStraight)), joint_error(log, standardised)};
}

}  // namespace otss::internal
