#include "learn/estimate/weight_uncertainty.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "learn/estimate/covariance_factors.hpp"
#include "learn/estimate/stored_parameters.hpp"

namespace otss::internal {
namespace {

// `fit` warns if the log has much less information about some combination of gate and expert
// parameters than about another: if the smallest information, divided by the largest, is below this
// limit. In experiments on Panel A, which has two experts, the ratio was above the limit with two
// fitted experts and below the limit with five. On logs without heterogeneity the ratio was mostly
// below the limit.
constexpr double kPoorInformation = 1e-4;

bool is_draw(const Member& member) { return !member.penalty.has_value(); }

Mixed mixed_by(const StandardisedModel& model) {
  return model.mixes_probabilities ? Mixed::kProbabilities : Mixed::kPredictors;
}

WeightUncertainty normal_law(const LoggedData& log, const Problem& problem, const Penalty& penalty,
                             const StandardisedModel& standardised,
                             std::shared_ptr<const SoftMixture> mixture,
                             const CovarianceOf& covariance_of, double hidden_variance = 0) {
  const MixtureLayout layout = problem.layout(mixture->num_experts());
  if (layout.size() > NormalUncertainty::kMostParameters ||
      layout.num_factors > NormalUncertainty::kMostFactors) {
    return {{},
            fmt::format("no intervals: the covariance of {} parameters is too large to compute; "
                        "name fewer columns in --context, or use --gate linear",
                        layout.size())};
  }
  FitCovariance fitted = covariance_of(penalty, {.layout = layout,
                                                 .theta = mixture_parameters(standardised),
                                                 .mixed = mixed_by(standardised)});
  for (int j = 0; j < layout.num_factors; ++j) {
    const auto weight = static_cast<Eigen::Index>(layout.expert(0)) + j;
    fitted.matrix(weight, weight) += hidden_variance;
  }
  StoredParameters::Covariance stored =
      StoredParameters(layout, log, problem).covariance(fitted.matrix);
  CovarianceFactors factors =
      covariance_factors(std::move(stored.weights), stored.baseline, stored.cross);
  WeightUncertainty result{
      std::make_shared<NormalUncertainty>(std::move(mixture), std::move(factors.weights),
                                          std::move(factors.baseline)),
      ""};
  if (layout.num_experts > 1 && fitted.information_ratio < kPoorInformation) {
    result.warning = fmt::format(
        "the log hardly distinguishes {} experts (information ratio {:.1g}, should be at least "
        "{:g}; docs/method.md explains this ratio), so the intervals depend on the penalty more "
        "than on the log; try a smaller number in --experts",
        layout.num_experts, fitted.information_ratio, kPoorInformation);
  }
  return result;
}

// Returns the draws with at most `most_experts` experts, or all draws if there is no such draw.
std::vector<const Member*> draws_of(const std::vector<Member>& members, int most_experts) {
  std::vector<const Member*> all;
  std::vector<const Member*> small;
  for (const Member& member : members) {
    if (member.weight == 0 || !is_draw(member)) continue;
    all.push_back(&member);
    if (member.layout.num_experts <= most_experts) small.push_back(&member);
  }
  return small.empty() ? all : small;
}

std::vector<double> all_rounded(std::vector<double> values) {
  for (double& value : values) value = rounded(value);
  return values;
}

WeightUncertainty posterior_draws(const LoggedData& log, const Problem& problem,
                                  const Estimate& fit, int most_experts, int num_threads) {
  std::vector<DrawnUncertainty::Draw> draws;
  const std::vector<const Member*> all = draws_of(fit.average.selection.members, most_experts);
  std::size_t largest = 1;
  for (const Member* member : all) largest = std::max(largest, member->theta.size());
  for (const Member* member :
       in_proportion(all, num_stored_draws(largest, DrawnUncertainty::kMostDraws))) {
    const StoredParameters stored(member->layout, log, problem);
    draws.push_back({member->layout.num_experts, member->posterior,
                     all_rounded(stored.weights(member->theta)),
                     all_rounded(stored.baseline(member->theta))});
  }
  // The draws were made with the residual noise of the pooled model. `noise` is the noise of the
  // deployed model divided by that of the pooled model.
  const double noise =
      std::sqrt(dispersion(problem, fit.distilled.layout, fit.distilled.theta, num_threads));
  const bool quadratic = problem.num_contexts != log.num_contexts();
  return {std::make_shared<DrawnUncertainty>(log.num_contexts(), problem.num_factors(), quadratic,
                                             std::move(draws), rounded(noise)),
          ""};
}

// Averaging and distilling may leave a weight this far inside its bound, in standardised units.
constexpr double kNearBound = 1e-4;

bool on_a_bound(const Problem& problem, const MixtureLayout& layout,
                std::span<const double> theta) {
  const Box box = problem.box(layout);
  for (std::size_t i = 0; i < box.lower.size(); ++i) {
    if (theta[i] <= box.lower[i] + kNearBound || theta[i] >= box.upper[i] - kNearBound) return true;
  }
  return false;
}

// Returns the penalised fits whose average is deployed, if draws of them describe its error. A large
// log gets one fit to all rows. Units have parameters of their own, and draws would not obey bounds.
std::vector<const Member*> averaged_fits(const LoggedData& log, const Problem& problem,
                                         const Estimate& fit) {
  const std::vector<Member>& members = fit.average.selection.members;
  const bool possible = !fit.chosen_on && log.units().empty() &&
                        problem.bounds.standardised.empty() &&
                        std::ranges::none_of(members, is_draw);
  return possible ? penalised_mixtures(members) : std::vector<const Member*>{};
}

}  // namespace

WeightUncertainty weight_uncertainty(const LoggedData& log, const Problem& problem,
                                     const PooledFit& pooled, const Estimate& fit,
                                     const StandardisedModel& standardised,
                                     std::shared_ptr<const SoftMixture> mixture,
                                     const CovarianceOf& covariance_of, double hidden_variance,
                                     int num_threads) {
  if (fit.probabilities.chosen) {
    return normal_law(log, problem, fit.probabilities.setting.penalty, standardised,
                      std::move(mixture), covariance_of);
  }
  const bool sampled = std::ranges::any_of(fit.average.selection.members, is_draw);
  // Only draws with at most as many experts as the deployed model are used. The posterior of a
  // model with more experts is wider than the error of the deployed weights (docs/method.md).
  if (sampled && log.groups().empty())
    return posterior_draws(log, problem, fit, mixture->num_experts(), num_threads);
  if (mixture->gate_kind() == GateKind::kAverage) {
    return {{},
            "no intervals: with --deploy mean, intervals cannot account for --group; use --deploy "
            "distilled"};
  }
  const MixtureLayout layout = problem.layout(mixture->num_experts());
  if (on_a_bound(problem, layout, mixture_parameters(standardised))) {
    return {{},
            "no intervals: a weight is on its bound, where the normal approximation is not valid; "
            "leave out --sign and --bounds to see intervals"};
  }
  WeightUncertainty result =
      normal_law(log, problem, deployed_penalty(fit, pooled, layout.num_experts), standardised,
                 std::move(mixture), covariance_of, hidden_variance);
  const std::vector<const Member*> fits = averaged_fits(log, problem, fit);
  if (fits.size() > 1 && as_uncertainty(result.uncertainty) != nullptr)
    result.uncertainty = draws_of_fits(log, problem, fits, covariance_of, num_threads);
  return result;
}

}  // namespace otss::internal
