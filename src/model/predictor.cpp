#include "model/predictor.hpp"

#include <vector>

#include "model/maps/mixed_experts.hpp"
#include "model/maps/quadratic.hpp"

namespace otss::internal {
namespace {

// Holds the shares and the linear predictors of a mixture's experts for one row.
struct ExpertsOfRow {
  std::vector<double> alpha, eta;

  ExpertsOfRow(const Mixture& mixture, const Baseline& baseline, std::span<const double> x,
               std::span<const double> z)
      : alpha(mixture.num_experts()), eta(mixture.num_experts(), common_baseline(baseline, x)) {
    mixture.shares(x, alpha);
    for (std::size_t k = 0; k < eta.size(); ++k) {
      eta[k] += baseline.expert_intercepts[k];
      const auto expert = mixture.expert(static_cast<int>(k));
      for (std::size_t j = 0; j < z.size(); ++j) eta[k] += expert[j] * z[j];
    }
  }
};

Mixed mixed(bool mixes_probabilities) {
  return mixes_probabilities ? Mixed::kProbabilities : Mixed::kPredictors;
}

}  // namespace

double common_baseline(const Baseline& baseline, std::span<const double> x) {
  std::vector<double> monomials;
  if (baseline.slopes.size() != x.size()) {
    monomials.resize(baseline.slopes.size());
    quadratic_columns(x, monomials);
    x = monomials;
  }
  double sum = baseline.intercept;
  for (std::size_t j = 0; j < x.size(); ++j) sum += baseline.slopes[j] * x[j];
  return sum;
}

double linear_predictor(const Scorer& scorer, const Baseline& baseline, bool mixes_probabilities,
                        std::span<const double> x, std::span<const double> centered_z) {
  if (const Mixture* mixture = scorer.as_mixture()) {
    const ExpertsOfRow experts(*mixture, baseline, x, centered_z);
    return mixed_predictor(mixed(mixes_probabilities), experts.alpha, experts.eta);
  }
  return common_baseline(baseline, x) + scorer.score(x, centered_z);
}

ExpertEffects expert_effects(const Mixture& mixture, const Baseline& baseline,
                             bool mixes_probabilities, std::span<const double> x,
                             std::span<const double> centered_z) {
  const ExpertsOfRow experts(mixture, baseline, x, centered_z);
  ExpertEffects effects{std::vector<double>(experts.eta.size()),
                        std::vector<double>(experts.eta.size())};
  expert_effects(mixed(mixes_probabilities), experts.alpha, experts.eta, effects.by_score,
                 effects.by_predictor);
  return effects;
}

}  // namespace otss::internal
