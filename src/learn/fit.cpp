#include "otss/learn/fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/json.hpp"
#include "base/threads.hpp"
#include "base/version.hpp"
#include "learn/assemble.hpp"
#include "learn/bayes_average.hpp"
#include "learn/constraints.hpp"
#include "learn/distill.hpp"
#include "learn/noise_units.hpp"
#include "learn/option_check.hpp"
#include "learn/pooled.hpp"
#include "learn/selection.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

constexpr int kAutoExperts[] = {2, 3, 5};
constexpr double kDistillingLoss =
    0.02;  // of the variation of the logits that heterogeneity explains

void require_rows(const LoggedData& log, int experts) {
  const std::size_t needed = MixtureLayout{log.num_contexts(), log.num_factors(), experts}.size();
  if (log.num_rows() >= needed) return;
  throw Error(ErrorCode::kInput,
              fmt::format("the log has {} rows, fewer than the {} parameters of "
                          "a model with {} {}; add rows, or use "
                          "fewer columns or --experts",
                          log.num_rows(), needed, experts, experts == 1 ? "expert" : "experts"));
}

// A log may have been read for another family than it is fitted with.
void require_outcomes(const LoggedData& log, OutputFamily family) {
  const auto bad =
      std::ranges::find_if_not(log.outcomes(), [&](float y) { return family.allows(y); });
  if (bad == log.outcomes().end()) return;
  throw Error(ErrorCode::kInput,
              fmt::format("outcome '{}' is {} in row {}, but --family {} needs {}; recode it or "
                          "choose another family",
                          log.roles().outcome, *bad, bad - log.outcomes().begin() + 1,
                          family.name(), family.allowed()));
}

// Options that contradict each other are refused, never ignored.
void require_consistent(const LoggedData& log, const FitOptions& options) {
  const auto refuse = [](const char* what) { throw Error(ErrorCode::kUsage, what); };
  if (options.method == "pooled" && options.experts.value > 1)
    refuse("--experts: a pooled model has one; use --method otss");
  if (options.method == "pooled" && !options.restarts.is_auto())
    refuse("--restarts: a pooled fit has one start; leave it out");
  if (options.estimator == "bayes" && !(options.sign.empty() && options.bounds.empty()))
    refuse("--sign and --bounds: draws of the posterior would not obey them; use --estimator map");
  if (options.folds.is_auto()) return;
  if (options.validation > 0) refuse("--folds and --validation exclude each other; give one");
  if (!log.times().empty())
    refuse("--folds and --time exclude each other: with --time the latest rows are held out");
}

void require_supported(const LoggedData& log, const FitOptions& options) {
  if (options.estimator != "bayes" || (options.validation == 0 && log.times().empty())) return;
  throw Error(ErrorCode::kUsage, fmt::format("--{} chooses validation rows, but --estimator bayes "
                                             "leaves out each row in turn; drop one of "
                                             "the two",
                                             options.validation > 0 ? "validation" : "time"));
}

BayesOptions bayes_options(const FitOptions& options, int threads) {
  BayesOptions bayes{.seed = options.seed, .num_threads = threads};
  if (!options.restarts.is_auto()) bayes.starts = options.restarts.value;
  return bayes;
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
    }
  }
  selection.folds = options.folds.is_auto() ? 5 : options.folds.value;
  selection.validation = options.validation;
  selection.starts = options.restarts.is_auto() ? 1 : options.restarts.value;
  selection.seed = options.seed;
  selection.num_threads = threads;
  return selection;
}

// Where to start distilling into K experts.
using Starts = std::map<int, std::vector<double>>;

// The heaviest member of each K.
Starts heaviest_members(const std::vector<Member>& members) {
  std::map<int, const Member*> heaviest;
  for (const Member& member : members) {
    const Member*& found = heaviest[member.layout.num_experts];
    if (found == nullptr || member.weight > found->weight) found = &member;
  }
  Starts starts;
  for (const auto& [experts, member] : heaviest) starts[experts] = member->theta;
  return starts;
}

Starts modes(const std::vector<Posterior>& posteriors) {
  Starts starts;
  for (const Posterior& posterior : posteriors)
    starts[posterior.layout.num_experts] = posterior.mode;
  return starts;
}

// The fewest experts that lose next to nothing of the average.
Distilled deploy(const Problem& problem, const std::vector<Member>& members,
                 const std::vector<int>& counts, const Starts& starts) {
  Distilled distilled;
  for (const int experts : counts) {
    const auto start = starts.find(experts);
    if (start == starts.end()) continue;
    distilled = distill(problem, members, experts, start->second);
    if (distilled.relative_error <= kDistillingLoss) break;
  }
  return distilled;
}

Json selection_to_json(const Selection& selection, const Distilled& distilled) {
  Json tried = Json::array();
  for (const Tried& t : selection.tried) {
    tried.push_back({{"experts", t.setting.experts},
                     {"gate_penalty", t.setting.penalty.gate},
                     {"expert_penalty", t.setting.penalty.expert},
                     {"learns_relevance", t.setting.learn_relevance},
                     {"log_loss", t.loss},
                     {"weight", t.weight}});
  }
  const Penalty& pooled = selection.tried.front().setting.penalty;
  return {
      {"tried", tried},
      {"baseline_penalty", pooled.baseline},
      {"center_penalty", pooled.center},
      {"chosen",
       {{"experts", distilled.layout.num_experts}, {"distilling_error", distilled.relative_error}}},
      {"split", selection.split}};
}

Json heterogeneity_to_json(const Selection& selection) {
  constexpr double kZ95 = 1.959963984540054;
  const double lo = selection.gain.mean - kZ95 * selection.gain.standard_error;
  const double hi = selection.gain.mean + kZ95 * selection.gain.standard_error;
  return {{"supported", lo > 0}, {"gain", selection.gain.mean}, {"lo", lo}, {"hi", hi}};
}

Json provenance(const LoggedData& log, const FitOptions& options, const Selection& selection,
                const Distilled& distilled, const std::string& why) {
  Json json = {
      {"software", fmt::format("otss {}", kVersion)},
      {"options", options_to_json(options)},
      {"data", {{"rows", log.num_rows()}, {"fingerprint", log.fingerprint()}}},
      {"selection", selection_to_json(selection, distilled)},
      {"validation",
       {{"log_loss", selection.validation_loss}, {"pooled_log_loss", selection.pooled_loss}}},
      {"heterogeneity", heterogeneity_to_json(selection)}};
  json["selection"]["why"] = why;
  return json;
}

Json mixing_to_json(const Mixing& mixing) {
  return {{"r_hat", mixing.r_hat}, {"effective_sample", mixing.effective_sample}};
}

Json bayes_to_json(const std::vector<Posterior>& posteriors) {
  Json chains = Json::array();
  for (const Posterior& posterior : posteriors) {
    Json json = {{"experts", posterior.layout.num_experts},
                 {"chains", posterior.num_chains},
                 {"draws", posterior.draws.size() / posterior.num_chains},
                 {"acceptance", posterior.acceptance},
                 {"log_posterior", mixing_to_json(posterior.log_posterior)},
                 {"weights", mixing_to_json(posterior.weights)}};
    const std::string warning = mixing_warning(posterior);
    if (!warning.empty()) json["warning"] = warning;
    chains.push_back(std::move(json));
  }
  return chains;
}

}  // namespace

Fitted fit(const LoggedData& log, const FitOptions& options, const Progress& progress) {
  check_options(options);
  require_supported(log, options);
  require_consistent(log, options);
  const int threads = options.threads == 0 ? hardware_threads() : options.threads;
  const auto report = [&](double done, std::string_view what) {
    if (progress) progress(done, what);
  };
  const OutputFamily family = OutputFamily::parse(options.family);
  require_outcomes(log, family);
  const Box own_bounds = parse_bounds(options.sign, options.bounds, log.encoder());
  require_rows(log,
               options.method == "otss" && !options.experts.is_auto() ? options.experts.value : 1);

  report(0, "one trade-off for everybody");
  const OutcomeUnits units =
      family == OutputFamily::kGaussian ? noise_units(log, own_bounds, threads) : OutcomeUnits{};
  const Problem problem = whole_problem(log, family, units, own_bounds);
  const PooledFit pooled = fit_pooled(problem, threads);
  const SelectionOptions choices = selection_options(problem, options, threads);
  const bool sample = options.estimator == "bayes" && !choices.experts.empty();
  BayesAverage average;
  if (sample) {
    average = average_posteriors(
        log, problem, pooled, choices, bayes_options(options, threads),
        [&](double done) { report(0.05 + 0.85 * done, "sampling the posterior"); });
  } else {
    average.selection = select_settings(log, problem, pooled.penalty, choices, [&](double done) {
      report(0.05 + 0.85 * done, "comparing settings on held-out rows");
    });
  }
  const Selection& selection = average.selection;

  report(0.9, "one model of all fits");
  Distilled distilled{pooled.fit.layout, pooled.fit.theta, 0};
  std::string why = "one trade-off for everybody was asked for";
  // A posterior needs no such way out: its priors and its weight on the pooled model shrink by
  // themselves.
  if (!choices.experts.empty() && options.experts.is_auto() && !sample &&
      selection.gain.mean <= 0) {
    why = "no setting predicts held-out rows better than one trade-off for everybody";
  } else if (!choices.experts.empty()) {
    distilled = deploy(problem, selection.members, choices.experts,
                       sample ? modes(average.posteriors) : heaviest_members(selection.members));
    why = fmt::format("the average of {} {}, weighed by held-out rows, in {} experts",
                      selection.tried.size(), sample ? "posteriors" : "settings",
                      distilled.layout.num_experts);
  }
  Json record = provenance(log, options, selection, distilled, why);
  if (sample) record["posteriors"] = bayes_to_json(average.posteriors);
  report(1, "done");
  return assemble(log, problem, distilled.layout, distilled.theta, options.method,
                  options.estimator, record);
}

}  // namespace otss
