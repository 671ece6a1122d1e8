#include "lab/theory/learned_rates.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/theory/hard_regions.hpp"
#include "lab/theory/rate_constants.hpp"
#include "lab/theory/rate_fits.hpp"
#include "lab/theory/shipped_fit.hpp"
#include "lab/theory/soft_likelihood.hpp"

namespace otss::internal {
namespace {

RateError regions_error(const RateLog& log, int num_regions, RateShare form) {
  const HardRegions regions = fit_hard_regions(log, num_regions, LogisticFit::kBiasReduced);
  return {.weights = rate_weight_error([&](double x) { return regions.at(x); }, form, num_regions),
          .regions = static_cast<double>(num_regions)};
}

int best_num_regions(const RateLog& log, RateShare form) {
  const double n = static_cast<double>(log.num_rows());
  return std::max(
      1, static_cast<int>(std::lround(best_region_width(rate_constants(form)) * std::cbrt(n))));
}

RateError joint_error_of(const RateLog& log, std::uint64_t seed, RateShare form) {
  const RealFunction column = logit_of_share(form);
  const Problem problem = rate_problem(log, column);
  const MixtureLayout layout = problem.layout(2);
  const std::vector<double> theta = most_likely_mixture(problem, 2, seed);
  std::vector<double> truth(layout.size(), 0.0);
  truth[layout.gate(0)] = 1;
  std::ranges::copy(kRateExpert1, truth.begin() + static_cast<std::ptrdiff_t>(layout.expert(0)));
  std::ranges::copy(kRateExpert2, truth.begin() + static_cast<std::ptrdiff_t>(layout.expert(1)));
  return {.weights = rate_weight_error(rate_mixture(theta, layout, column), form, 4),
          .parameters = aligned_parameter_error(layout, theta, truth)};
}

RateError shipped_error(const RateLog& log, RateShare form) {
  const Fitted fitted = fit_shipped(log.contexts, log.factors, log.outcomes);
  const RateMap map = [&](double x) {
    RateWeights w;
    std::ranges::copy(shipped_weights(fitted, std::span(&x, 1)), w.begin());
    return w;
  };
  return {.weights = rate_weight_error(map, form, 4)};
}

}  // namespace

LearnedRates learned_rates(std::uint64_t seed, int log2_n, RateShare form) {
  const RateLog log = draw_rate_log(seed, log2_n, form);
  return {.best_regions = regions_error(log, best_num_regions(log, form), form),
          .chosen_regions = regions_error(log, choose_num_regions(log), form),
          .oracle_gate = {.weights = rate_weight_error(fit_rate_oracle(log, form), form, 1)},
          .joint = joint_error_of(log, seed, form),
          .shipped = shipped_error(log, form)};
}

}  // namespace otss::internal
