#include "learn/units/deviations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/averaging/cross_validation.hpp"
#include "learn/units/form_choice.hpp"
#include "learn/units/unit_folds.hpp"
#include "learn/units/variation.hpp"

namespace otss::internal {
namespace {

// Fits that start from the fit to other, similar rows need few passes.
constexpr int kWarmPasses = 6;

template <class T>
std::vector<T> picked(std::span<const T> values, std::span<const std::size_t> rows) {
  std::vector<T> some;
  if (values.empty()) return some;
  for (const std::size_t row : rows) some.push_back(values[row]);
  return some;
}

// Some units of a log: those on which the form is chosen.
struct UnitSample {
  std::vector<std::size_t> rows;
  Problem problem;
  UnitIndex index;
  std::vector<std::uint32_t> groups;
  std::vector<double> times;
};

UnitSample sample_of(const LoggedData& log, const Problem& problem, const UnitIndex& index,
                     std::uint64_t seed) {
  std::vector<std::size_t> rows = rows_of_some_units(index, kFormRows, seed);
  const bool all = rows.size() == problem.num_rows();
  std::vector<std::uint32_t> units = picked(log.units(), rows);
  std::vector<std::uint32_t> number(log.num_units(), std::numeric_limits<std::uint32_t>::max());
  std::uint32_t next = 0;
  for (std::uint32_t& unit : units) {
    if (number[unit] > next) number[unit] = next++;
    unit = number[unit];
  }
  return {rows, all ? problem : rows_of(problem, rows), UnitIndex(units),
          picked(log.groups(), rows), picked(log.times(), rows)};
}

// The strengths of a penalty belong to all rows; the sample has fewer.
Penalty scaled_penalty(Penalty penalty, double share) {
  for (double* strength : {&penalty.gate, &penalty.gate_intercept, &penalty.expert, &penalty.center,
                           &penalty.baseline})
    *strength *= share;
  return penalty;
}

// Returns the losses of units that are new to the fit. Without deviations, the predictor of a row
// comes from fits that did not use the row's unit. Integrating out the deviations moves predictors;
// this move is taken from the fits to all rows, because it is common to all units.
DeviationLosses losses_of_new_units(const UnitSample& sample, const WithoutDeviations& without,
                                    const MarginalFit& fit, int num_threads) {
  const Problem& problem = sample.problem;
  Population before = fit.population;
  before.theta = without.theta;
  const std::vector<double> eta_before = linear_predictors_of(problem, before, num_threads);
  const std::vector<double> eta_after = linear_predictors_of(problem, fit.population, num_threads);
  std::vector<double> eta = picked(without.held_out_eta, sample.rows);
  const Folds one{1, std::vector<std::uint8_t>(eta.size(), 0)};
  const std::vector<double> losses_without = row_losses(problem, one, eta);
  for (std::size_t i = 0; i < eta.size(); ++i) eta[i] += eta_after[i] - eta_before[i];
  const auto losses = new_unit_losses(problem, sample.index, fit.population, eta);
  return {mean_and_error(problem, losses, {}).mean,
          mean_and_error(problem, losses_without, {}).mean};
}

DeviationReport report_of(const LoggedData& log, const UnitSample& sample,
                          const std::vector<FormTrial>& trials, const FormChoice& choice) {
  DeviationReport report;
  report.units = log.num_units();
  for (const FormTrial& trial : trials) {
    const Spread& spread = trial.fit.population.spread;
    report.tried.push_back({spread.form, spread.rank(), trial.loss.mean});
  }
  report.chosen = trials[choice.chosen].fit.population.spread.form;
  report.gain = choice.gain;
  report.supported = choice.chosen > 0 && judge_gain(choice.gain).supported;
  report.known_units = {trials[choice.judged].loss.mean, trials.front().loss.mean};
  report.chosen_on_rows = sample.rows.size();
  return report;
}

}  // namespace

DeviationEstimate estimate_deviations(const LoggedData& log, const Problem& problem,
                                      const WithoutDeviations& without, std::uint64_t seed,
                                      int num_threads,
                                      const std::function<void(double)>& progress) {
  const UnitIndex index(log.units());
  const UnitSample sample = sample_of(log, problem, index, seed);
  const bool all = sample.rows.size() == problem.num_rows();
  const double share = sample.problem.rows.total() / problem.rows.total();
  const PopulationPrior prior = prior_at(sample.problem, scaled_penalty(without.penalty, share),
                                         without.layout, without.theta, num_threads);
  const Population start{without.layout, without.theta,
                         first_spread(DeviationForm::kNone, problem.num_factors(), 0)};
  const FormData data{sample.problem, sample.index,
                      folds_within_units(sample.index, sample.times, defaults::kFolds, seed),
                      sample.groups};
  std::vector<FormTrial> trials = try_forms(data, prior, start, num_threads);
  const FormChoice choice = choose_form(data, trials);
  DeviationEstimate estimate{std::nullopt, report_of(log, sample, trials, choice)};
  progress(0.7);
  if (!estimate.report.supported) return estimate;
  MarginalFit& chosen = trials[choice.chosen].fit;
  estimate.report.new_units = losses_of_new_units(sample, without, chosen, num_threads);
  progress(0.9);
  if (!all) {
    chosen = fit_marginal(
        problem, index,
        prior_at(problem, without.penalty, without.layout, without.theta, num_threads),
        chosen.population, {}, {.num_threads = num_threads, .most_passes = kWarmPasses});
  }
  estimate.report.variation = variation_shares(problem, index, chosen.population, num_threads);
  estimate.fit = std::move(chosen);
  return estimate;
}

Deviations deployed_deviations(const Problem& problem, const Population& population) {
  const double scale = problem.outcomes.units().scale;
  const Eigen::MatrixXd product = scale * scale * population.spread.covariance();
  // The sum of both triangles is symmetric to the last bit, as a model requires.
  const Eigen::MatrixXd covariance = 0.5 * (product + product.transpose());
  return {population.spread.form, population.spread.rank(),
          std::vector<double>(covariance.data(), covariance.data() + covariance.size())};
}

}  // namespace otss::internal
