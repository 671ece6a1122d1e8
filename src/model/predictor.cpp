#include "model/predictor.hpp"

#include <cmath>
#include <vector>

#include "model/maps/quadratic.hpp"

namespace otss::internal {
namespace {

double common_baseline(const Baseline& baseline, std::span<const double> x) {
  std::vector<double> columns(x.begin(), x.end());
  if (baseline.slopes.size() != x.size()) {
    columns.resize(baseline.slopes.size());
    quadratic_columns(x, columns);
  }
  double sum = baseline.intercept;
  for (std::size_t j = 0; j < columns.size(); ++j) sum += baseline.slopes[j] * columns[j];
  return sum;
}

double logistic(double t) { return 1 / (1 + std::exp(-t)); }

// Returns the linear predictor of a mixture. Without `mixes_probabilities`, this is the average of
// the experts' linear predictors. With `mixes_probabilities`, it is the logit of the average of the
// experts' probabilities.
double mixed_predictor(const Mixture& mixture, const Baseline& baseline, bool mixes_probabilities,
                       std::span<const double> x, std::span<const double> z) {
  std::vector<double> alpha(mixture.num_experts());
  mixture.shares(x, alpha);
  const double common = common_baseline(baseline, x);
  double mean = 0;
  double certain = 0;  // the average of P(y = 1)
  double rest = 0;     // the average of P(y = 0); computing it as 1 - P(y = 1) would lose digits
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    double eta = common + baseline.expert_intercepts[k];
    const auto expert = mixture.expert(static_cast<int>(k));
    for (std::size_t j = 0; j < z.size(); ++j) eta += expert[j] * z[j];
    mean += alpha[k] * eta;
    certain += alpha[k] * logistic(eta);
    rest += alpha[k] * logistic(-eta);
  }
  return mixes_probabilities ? std::log(certain / rest) : mean;
}

}  // namespace

double linear_predictor(const Scorer& scorer, const Baseline& baseline, bool mixes_probabilities,
                        std::span<const double> x, std::span<const double> centered_z) {
  if (const Mixture* mixture = scorer.as_mixture())
    return mixed_predictor(*mixture, baseline, mixes_probabilities, x, centered_z);
  return common_baseline(baseline, x) + scorer.score(x, centered_z);
}

}  // namespace otss::internal
