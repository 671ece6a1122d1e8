#include "learn/estimate/weight_uncertainty.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "learn/estimate/covariance_factors.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// `fit` warns if the log has much less information about some combination of gate and expert
// parameters than about another: if the smallest information, divided by the largest, is below this
// limit. In experiments on Panel A, which has two experts, the ratio was above the limit with two
// fitted experts and below the limit with five. On logs without heterogeneity the ratio was mostly
// below the limit.
constexpr double kPoorInformation = 1e-4;

// Lists the parameters of a layout on which w(x) depends, in the order of MixtureSize, and the
// multipliers that convert these parameters to the log's units.
struct WeightParameters {
  std::vector<Index> indices;
  std::vector<double> units;

  WeightParameters(const MixtureLayout& layout, const LoggedData& log, const Problem& problem) {
    for (std::size_t i = 0; i < layout.baseline(); ++i) add(i, 1);
    for (int k = 0; k < layout.num_experts; ++k) {
      for (int j = 0; j < layout.num_factors; ++j)
        add(layout.expert(k) + j, problem.outcomes.units().scale / log.encoder().factors[j].scale);
    }
  }

 private:
  void add(std::size_t index, double unit) {
    indices.push_back(static_cast<Index>(index));
    units.push_back(unit);
  }
};

// The parameters of the baseline, in the order of MixtureSize. Each of them is a sum of parameters
// of the layout; `sums` has the indices of the summed parameters. `unit` is the multiplier that
// converts the sums to the log's units.
struct BaselineParameters {
  std::vector<std::vector<Index>> sums;
  double unit = 1;

  BaselineParameters(const MixtureLayout& layout, const Problem& problem)
      : unit(problem.outcomes.units().scale) {
    const auto first = static_cast<Index>(layout.baseline());
    for (int i = 0; i < layout.num_contexts; ++i) sums.push_back({first + i});
    for (int k = 0; k < layout.num_experts; ++k) {
      sums.push_back(
          {first + layout.num_contexts, static_cast<Index>(layout.expert(k)) + layout.num_factors});
    }
  }

  std::vector<double> of(std::span<const double> theta) const {
    std::vector<double> values;
    for (const std::vector<Index>& sum : sums) {
      double value = 0;
      for (const Index index : sum) value += theta[index];
      values.push_back(rounded(unit * value));
    }
    return values;
  }

  // Returns the matrix that computes the baseline's parameters, in the log's units, from all
  // parameters of the layout.
  MatrixXd matrix(Index num_parameters) const {
    MatrixXd rows = MatrixXd::Zero(static_cast<Index>(sums.size()), num_parameters);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (const Index index : sums[i]) rows(static_cast<Index>(i), index) = unit;
    }
    return rows;
  }
};

bool is_draw(const Member& member) { return !member.penalty.has_value(); }

Mixed mixed_by(const StandardisedModel& model) {
  return model.mixes_probabilities ? Mixed::kProbabilities : Mixed::kPredictors;
}

WeightUncertainty normal_law(const LoggedData& log, const Problem& problem, const Penalty& penalty,
                             const StandardisedModel& standardised,
                             std::shared_ptr<const SoftMixture> mixture,
                             const CovarianceOf& covariance_of) {
  const MixtureLayout layout = problem.layout(mixture->num_experts());
  if (layout.size() > NormalUncertainty::kMostParameters ||
      layout.num_factors > NormalUncertainty::kMostFactors) {
    return {{},
            fmt::format("no intervals: the covariance of {} parameters is too large to compute; "
                        "name fewer columns in --context, or use --gate linear",
                        layout.size())};
  }
  const FitCovariance fitted = covariance_of(penalty, {.layout = layout,
                                                       .theta = mixture_parameters(standardised),
                                                       .mixed = mixed_by(standardised)});
  const WeightParameters parameters(layout, log, problem);
  MatrixXd covariance = fitted.matrix(parameters.indices, parameters.indices);
  const Eigen::Map<const Eigen::VectorXd> units(parameters.units.data(), covariance.rows());
  covariance = (units.asDiagonal() * covariance * units.asDiagonal()).eval();
  const MatrixXd to_baseline = BaselineParameters(layout, problem).matrix(fitted.matrix.rows());
  const MatrixXd with_baseline = to_baseline * fitted.matrix;
  CovarianceFactors factors =
      covariance_factors(std::move(covariance), with_baseline * to_baseline.transpose(),
                         with_baseline(Eigen::all, parameters.indices) * units.asDiagonal());
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

// Returns as many members as a model file can store. A member is returned in proportion to its
// weight: never, once or several times.
std::vector<const Member*> thinned(const std::vector<const Member*>& members) {
  double total = 0;
  std::size_t largest = 1;
  for (const Member* member : members) {
    total += member->weight;
    largest = std::max(largest, member->theta.size());
  }
  const auto count = static_cast<double>(num_stored_draws(largest, DrawnUncertainty::kMostDraws));
  std::vector<const Member*> taken;
  double seen = 0;
  for (const Member* member : members) {
    seen += member->weight / total * count;
    while (static_cast<double>(taken.size()) + 0.5 < seen) taken.push_back(member);
  }
  return taken;
}

WeightUncertainty posterior_draws(const LoggedData& log, const Problem& problem,
                                  const Estimate& fit, int most_experts, int num_threads) {
  std::vector<DrawnUncertainty::Draw> draws;
  for (const Member* member : thinned(draws_of(fit.average.selection.members, most_experts))) {
    const WeightParameters parameters(member->layout, log, problem);
    std::vector<double> values;
    for (std::size_t i = 0; i < parameters.indices.size(); ++i)
      values.push_back(rounded(parameters.units[i] * member->theta[parameters.indices[i]]));
    draws.push_back({member->layout.num_experts, member->posterior, std::move(values),
                     BaselineParameters(member->layout, problem).of(member->theta)});
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

}  // namespace

WeightUncertainty weight_uncertainty(const LoggedData& log, const Problem& problem,
                                     const PooledFit& pooled, const Estimate& fit,
                                     const StandardisedModel& standardised,
                                     std::shared_ptr<const SoftMixture> mixture,
                                     const CovarianceOf& covariance_of, int num_threads) {
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
  return normal_law(log, problem, deployed_penalty(fit, pooled, layout.num_experts), standardised,
                    std::move(mixture), covariance_of);
}

}  // namespace otss::internal
