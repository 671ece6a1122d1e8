#include "otss/learn/fit.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"
#include "base/version.hpp"
#include "learn/assemble.hpp"
#include "learn/option_check.hpp"
#include "learn/pooled.hpp"
#include "learn/selection.hpp"
#include "learn/spectral_start.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

constexpr int kAutoExperts[] = {2, 3, 5};
constexpr int kAutoRestarts = 3;

void require_rows(const Problem& problem, int experts) {
  const std::size_t needed = problem.layout(experts).size();
  if (problem.num_rows() >= needed) return;
  throw Error(ErrorCode::kInput,
              fmt::format("the log has {} rows, fewer than the {} parameters of a model with {} {}; add rows, or use "
                          "fewer columns or --experts",
                          problem.num_rows(), needed, experts, experts == 1 ? "expert" : "experts"));
}

SelectionOptions selection_options(const Problem& problem, const FitOptions& options, int threads) {
  SelectionOptions selection;
  if (options.method == "otss") {
    if (options.experts.is_auto()) {
      for (const int k : kAutoExperts) {
        if (problem.num_rows() >= problem.layout(k).size()) selection.experts.push_back(k);
      }
    } else if (options.experts.value > 1) {
      selection.experts.push_back(options.experts.value);
      selection.may_choose_pooled = false;
    }
  }
  selection.folds = options.folds;
  selection.validation = options.validation;
  selection.seed = options.seed;
  selection.num_threads = threads;
  return selection;
}

// The lowest objective over the spectral start and random ones.
MixtureFit best_of_starts(const Problem& problem, const SpectralStart& spectral, const Setting& setting, int starts,
                          std::uint64_t seed, int threads) {
  const MixtureLayout layout = problem.layout(setting.experts);
  MixtureFit best;
  for (int s = 0; s < starts; ++s) {
    Rng rng(seed, s);
    const std::vector<double> start =
        s == 0 ? spectral.start(setting.experts) : spectral.restart(setting.experts, rng);
    MixtureFit fit = fit_mixture(problem, setting.penalty, layout, start, {threads, true});
    if (s == 0 || fit.objective < best.objective) best = std::move(fit);
  }
  return best;
}

Json penalty_to_json(const Penalty& penalty) {
  return {{"gate", penalty.gate},
          {"gate_intercept", penalty.gate_intercept},
          {"expert", penalty.expert},
          {"center", penalty.center},
          {"baseline", penalty.baseline}};
}

Json selection_to_json(const Selection& selection) {
  Json tried = Json::array();
  for (const Tried& t : selection.tried) {
    tried.push_back({{"experts", t.setting.experts},
                     {"gate", t.setting.penalty.gate},
                     {"expert", t.setting.penalty.expert},
                     {"log_loss", t.loss}});
  }
  return {{"tried", tried},
          {"chosen", {{"experts", selection.chosen.experts}, {"penalty", penalty_to_json(selection.chosen.penalty)}}},
          {"why", fmt::format("lowest held-out log-loss among {} settings ({})", selection.tried.size(),
                              selection.split)},
          {"rows", selection.selection_rows}};
}

Json heterogeneity_to_json(const Selection& selection) {
  constexpr double kZ95 = 1.959963984540054;
  const double lo = selection.gain.gain - kZ95 * selection.gain.standard_error;
  const double hi = selection.gain.gain + kZ95 * selection.gain.standard_error;
  return {{"supported", lo > 0}, {"gain", selection.gain.gain}, {"lo", lo}, {"hi", hi}};
}

Json provenance(const LoggedData& log, const FitOptions& options, const Selection& selection, const MixtureFit& fit,
                int starts) {
  return {{"software", fmt::format("otss {}", kVersion)},
          {"options", options_to_json(options)},
          {"data", {{"rows", log.num_rows()}, {"fingerprint", log.fingerprint()}}},
          {"selection", selection_to_json(selection)},
          {"validation", {{"log_loss", selection.validation_loss}, {"pooled_log_loss", selection.pooled_loss}}},
          {"heterogeneity", heterogeneity_to_json(selection)},
          {"optimizer",
           {{"message", fit.message}, {"passes", fit.evaluations}, {"starts", starts}, {"converged", fit.converged}}}};
}

}  // namespace

Fitted fit(const LoggedData& log, const FitOptions& options, const Progress& progress) {
  check_options(options);
  const int threads = options.threads == 0 ? hardware_threads() : options.threads;
  const auto report = [&](double done, std::string_view what) {
    if (progress) progress(done, what);
  };
  const Problem problem = whole_problem(log);
  require_rows(problem, options.method == "otss" && !options.experts.is_auto() ? options.experts.value : 1);

  report(0, "one trade-off for everybody");
  const PooledFit pooled = fit_pooled(problem, threads);
  const Selection selection =
      select_setting(log, problem, pooled.penalty, selection_options(problem, options, threads),
                     [&](double done) { report(0.05 + 0.8 * done, "comparing settings on held-out rows"); });

  report(0.85, "fitting all rows");
  int starts = 1;
  MixtureFit final_fit = pooled.fit;
  if (selection.chosen.experts > 1) {
    starts = options.restarts.is_auto() ? kAutoRestarts : options.restarts.value;
    final_fit = best_of_starts(problem, SpectralStart(problem, pooled.fit.theta), selection.chosen, starts,
                               options.seed, threads);
  }
  report(1, "done");
  return assemble(log, final_fit.layout, final_fit.theta, options.method, options.estimator,
                  provenance(log, options, selection, final_fit, starts));
}

}  // namespace otss
