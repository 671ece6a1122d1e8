#include "lab/theory/rate_fits.hpp"

#include <cmath>
#include <memory>
#include <span>

#include "lab/theory/soft_likelihood.hpp"

namespace otss::internal {
namespace {

RateWeights weights_at(std::span<const double> theta, std::size_t offset) {
  RateWeights w;
  for (int j = 0; j < kRateFactors; ++j) w[j] = theta[offset + j];
  return w;
}

}  // namespace

double rate_weight_error(const RateMap& map, RateShare form, int num_pieces) {
  return integrate(
      [&](double x) {
        const RateWeights w = map(x);
        const RateWeights truth = rate_weights(x, form);
        double sum = 0;
        for (int j = 0; j < kRateFactors; ++j) sum += (w[j] - truth[j]) * (w[j] - truth[j]);
        return sum;
      },
      equal_cuts(0, 1, num_pieces));
}

// With known shares α, the model is a logistic regression on the columns α z and (1 - α) z.
RateMap fit_rate_oracle(const RateLog& log, RateShare form) {
  auto features = std::make_shared<TileMatrix>(log.num_rows(), 2 * kRateFactors);
  for (std::size_t i = 0; i < log.num_rows(); ++i) {
    const double share = rate_share(log.contexts[i], form);
    for (int j = 0; j < kRateFactors; ++j) {
      const double z = log.factors[i * kRateFactors + j];
      features->at(i, j) = static_cast<float>(share * z);
      features->at(i, kRateFactors + j) = static_cast<float>((1 - share) * z);
    }
  }
  const Problem problem{features, 0, SignedWeights(log.outcomes)};
  const MixtureLayout layout = problem.layout(1);
  const std::vector<double> theta =
      maximise_likelihood(problem, 1, std::vector<double>(layout.size(), 0.0)).x;
  return [form, first = weights_at(theta, layout.expert(0)),
          second = weights_at(theta, layout.expert(0) + kRateFactors)](double x) {
    return mixed_weights(rate_share(x, form), first, second);
  };
}

Problem rate_problem(const RateLog& log, const RealFunction& column) {
  auto features = std::make_shared<TileMatrix>(log.num_rows(), 1 + kRateFactors);
  for (std::size_t i = 0; i < log.num_rows(); ++i) {
    features->at(i, 0) = static_cast<float>(column(log.contexts[i]));
    for (int j = 0; j < kRateFactors; ++j)
      features->at(i, 1 + j) = static_cast<float>(log.factors[i * kRateFactors + j]);
  }
  return {features, 1, SignedWeights(log.outcomes)};
}

RateMap rate_mixture(const std::vector<double>& theta, const MixtureLayout& layout,
                     RealFunction column) {
  return [slope = theta[layout.gate(0)], intercept = theta[layout.gate(0) + 1],
          column = std::move(column), first = weights_at(theta, layout.expert(0)),
          second = weights_at(theta, layout.expert(1))](double x) {
    return mixed_weights(1 / (1 + std::exp(-slope * column(x) - intercept)), first, second);
  };
}

RealFunction logit_of_share(RateShare form) {
  return [form](double x) {
    const double share = rate_share(x, form);
    return std::log(share / (1 - share));
  };
}

}  // namespace otss::internal
