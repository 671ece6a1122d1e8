#include "otss/learn/fit.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/threads.hpp"
#include "base/version.hpp"
#include "learn/assemble.hpp"
#include "learn/option_check.hpp"
#include "learn/otss.hpp"
#include "learn/pooled.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

constexpr int kAutoExperts[] = {2, 3, 5};

void require_rows(const Problem& problem, int experts) {
  const std::size_t needed = problem.layout(experts).size();
  if (problem.num_rows() >= needed) return;
  throw Error(ErrorCode::kInput, fmt::format("the log has {} rows, fewer than the {} parameters of "
                                             "a model with {} {}; add rows, or use "
                                             "fewer columns or --experts",
                                             problem.num_rows(), needed, experts,
                                             experts == 1 ? "expert" : "experts"));
}

// Options that contradict each other are refused, never ignored.
void require_consistent(const LoggedData& log, const FitOptions& options) {
  const auto refuse = [](const char* what) { throw Error(ErrorCode::kUsage, what); };
  if (options.method == "pooled" && options.experts.value > 1)
    refuse("--experts: a pooled model has one; use --method otss");
  if (options.method == "pooled" && !options.restarts.is_auto())
    refuse("--restarts: a pooled fit has one start; leave it out");
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

// What "auto" comes to. One trade-off has no posterior to average.
std::string estimator_of(const LoggedData& log, const FitOptions& options,
                         const SelectionOptions& choices) {
  if (options.estimator != "auto") return options.estimator;
  if (choices.experts.empty()) return "map";
  return automatic_estimator(log, choices) == Estimator::kBayes ? "bayes" : "map";
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
  return {{"tried", tried},
          {"baseline_penalty", pooled.baseline},
          {"center_penalty", pooled.center},
          {"chosen",
           {{"experts", distilled.layout.num_experts},
            {"distilling_error", distilled.loss.relative},
            {"distilling_rms", distilled.loss.rms},
            {"distilling_changed_decisions", distilled.loss.changed_decisions}}},
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
                 {"gate_columns", posterior.gate_columns == GateColumns::kAll ? "all" : "few"},
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
  const Problem problem = whole_problem(log);
  require_rows(problem,
               options.method == "otss" && !options.experts.is_auto() ? options.experts.value : 1);

  report(0, "one trade-off for everybody");
  const PooledFit pooled = fit_pooled(problem, threads);
  const SelectionOptions choices = selection_options(problem, options, threads);
  const std::string estimator = estimator_of(log, options, choices);
  const auto step = [&](double done) {
    report(0.05 + 0.85 * done,
           estimator == "bayes" ? "sampling the posterior" : "comparing settings on held-out rows");
  };
  OtssFit found{
      {}, {pooled.fit.layout, pooled.fit.theta, {}}, "one trade-off for everybody was asked for"};
  if (choices.experts.empty()) {
    found.average.selection = select_settings(log, problem, pooled.penalty, choices, step);
  } else {
    found =
        fit_otss(log, problem, pooled, estimator == "bayes" ? Estimator::kBayes : Estimator::kMap,
                 options.experts.is_auto(), choices, bayes_options(options, threads), step);
  }
  Json record = provenance(log, options, found.average.selection, found.distilled, found.why);
  if (!found.average.posteriors.empty()) {
    record["posteriors"] = bayes_to_json(found.average.posteriors);
    record["selection"]["few_columns_share"] = found.average.few_columns_share;
  }
  report(1, "done");
  return assemble(log, found.distilled.layout, found.distilled.theta, options.method, estimator,
                  record);
}

}  // namespace otss
