#include "otss/learn/fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/json.hpp"
#include "base/threads.hpp"
#include "learn/assemble.hpp"
#include "learn/bayes_average.hpp"
#include "learn/constraints.hpp"
#include "learn/distill.hpp"
#include "learn/fit_method.hpp"
#include "learn/log_demands.hpp"
#include "learn/noise_units.hpp"
#include "learn/option_check.hpp"
#include "learn/option_conflicts.hpp"
#include "learn/pooled.hpp"
#include "learn/provenance.hpp"
#include "learn/selection.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

constexpr int kAutoExperts[] = {2, 3, 5};
constexpr double kDistillingLoss =
    0.02;  // of the variation of the logits that heterogeneity explains

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

Json provenance(const LoggedData& log, const FitOptions& options, const Selection& selection,
                const Distilled& distilled, const std::string& why) {
  Json json = provenance_of(log, options);
  json["selection"] = selection_to_json(selection, distilled);
  json["selection"]["why"] = why;
  json["validation"] = {{"log_loss", selection.validation_loss},
                        {"pooled_log_loss", selection.pooled_loss}};
  json["heterogeneity"] = heterogeneity_to_json(selection.gain);
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
  refuse_conflicts(log, options);
  if (options.method != "otss" && options.method != "pooled")
    return fit_method(log, options, progress);
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
  const Model model = mixture_model(distilled.layout, distilled.theta);
  return assemble(log, problem, ordered_by_use(problem, model), options.method, options.estimator,
                  record);
}

}  // namespace otss
