#include "learn/methods/fit_method.hpp"

#include <fmt/core.h>

#include <cmath>

#include "base/profile.hpp"
#include "base/threads.hpp"
#include "learn/deploy/assemble.hpp"
#include "learn/deploy/report.hpp"
#include "learn/estimate/large_log.hpp"
#include "learn/methods/method.hpp"
#include "learn/options/defaults.hpp"
#include "learn/options/log_requirements.hpp"
#include "learn/options/option_check.hpp"
#include "learn/problem/split.hpp"

namespace otss::internal {
namespace {

ComparedSettings settings_of(const Choice& choice, bool averaged) {
  ComparedSettings settings;
  for (std::size_t s = 0; s < choice.settings.size(); ++s) {
    settings.tried.push_back({choice.settings[s], choice.losses[s]});
    if (averaged) settings.tried.back().weight = choice.weights[s];
  }
  settings.pooled_weight = choice.pooled_weight;
  settings.chosen = choice.settings[choice.chosen];
  return settings;
}

std::string why(const Choice& choice, bool averaged) {
  if (!averaged) return "the lowest loss on held-out rows";
  return fmt::format("the average of {} settings{}, weighted by held-out loss",
                     choice.settings.size(), choice.pooled_weight ? " and the pooled model" : "");
}

// Returns how rows are held out. If settings are averaged and rows are plentiful, one split replaces
// the folds, as it does where OTSS compares numbers of experts.
SplitOptions split_options(const LoggedData& log, const FitOptions& options, bool averaged) {
  SplitOptions split{options.folds.is_auto() ? defaults::kFolds : options.folds.value,
                     options.validation, options.seed};
  if (averaged && options.folds.is_auto() && split.validation == 0 &&
      num_counting_rows(log) > defaults::kSelectionRows)
    split.validation = defaults::kHeldOutShare;
  return split;
}

}  // namespace

Fitted fit_method(const LoggedData& log, const FitOptions& options, const Progress& progress) {
  const int threads = options.threads == 0 ? hardware_threads() : options.threads;
  const auto report = [&](double done) {
    if (progress) progress(done, "comparing settings on held-out rows");
  };
  report(0);
  require_outcomes(log, options.family);
  const Problem problem = whole_problem(log);
  const bool averaged = options.treatment == Treatment::kAverage;
  const auto [folds, words] = split_rows(log, split_options(log, options, averaged));
  const auto method = make_method(options);
  const Choice choice = choose_and_fit(*method, problem, folds,
                                       {averaged ? Treatment::kAverage : Treatment::kPick,
                                        !options.no_refit, options.seed, threads, log.groups()},
                                       report);

  const StageTimer timer(Stage::kUncertainty);
  std::vector<double> gain = row_losses(problem, folds, choice.pooled_eta);
  const double pooled_loss = weighted_mean(problem, gain);
  const auto losses = row_losses(problem, folds, choice.held_out_eta);
  for (std::size_t i = 0; i < gain.size(); ++i) gain[i] -= losses[i];

  FitReport record = begin_report(log, options);
  record.choice = {settings_of(choice, averaged), why(choice, averaged), words, {}};
  record.held_out = {weighted_mean(problem, losses), pooled_loss};
  record.gain = mean_and_error(problem, gain, log.groups());
  const StandardisedModel model = ordered_by_use(problem, choice.model);
  std::vector<double> held_out_eta = choice.held_out_eta;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (std::isnan(losses[i])) held_out_eta[i] = losses[i];
  }
  record.diagnostics = diagnose(log, problem, held_out_eta, model);
  if (progress) progress(1, "done");
  return assemble(log, problem, model,
                  fits_segments(options.method) ? Method::kOtss : options.method,
                  is_paper_recipe(options) ? options.estimator : Estimator::kMap, record);
}

}  // namespace otss::internal
