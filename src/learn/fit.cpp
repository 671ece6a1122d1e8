#include "otss/learn/fit.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/threads.hpp"
#include "base/version.hpp"
#include "learn/assemble.hpp"
#include "learn/option_check.hpp"
#include "learn/pooled.hpp"
#include "learn/selection.hpp"
#include "learn/distill.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

constexpr int kAutoExperts[] = {2, 3, 5};
constexpr double kDistillingLoss = 0.02;  // of the variation of the logits that heterogeneity explains

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
    }
  }
  selection.folds = options.folds;
  selection.validation = options.validation;
  selection.starts = options.restarts.is_auto() ? 1 : options.restarts.value;
  selection.seed = options.seed;
  selection.num_threads = threads;
  return selection;
}

// A start for distilling into K experts: the heaviest member that has K.
const Member* heaviest_with(const std::vector<Member>& members, int experts) {
  const Member* heaviest = nullptr;
  for (const Member& member : members) {
    if (member.layout.num_experts != experts) continue;
    if (heaviest == nullptr || member.weight > heaviest->weight) heaviest = &member;
  }
  return heaviest;
}

// The fewest experts that lose next to nothing of the average.
Distilled deploy(const Problem& problem, const Selection& selection, const SelectionOptions& options) {
  Distilled distilled;
  for (const int experts : options.experts) {
    const Member* start = heaviest_with(selection.members, experts);
    if (start == nullptr) continue;
    distilled = distill(problem, selection.members, experts, start->theta);
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
                     {"log_loss", t.loss},
                     {"weight", t.weight}});
  }
  const Penalty& pooled = selection.tried.front().setting.penalty;
  return {{"tried", tried},
          {"baseline_penalty", pooled.baseline},
          {"center_penalty", pooled.center},
          {"chosen", {{"experts", distilled.layout.num_experts}, {"distilling_error", distilled.relative_error}}},
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
  Json json = {{"software", fmt::format("otss {}", kVersion)},
               {"options", options_to_json(options)},
               {"data", {{"rows", log.num_rows()}, {"fingerprint", log.fingerprint()}}},
               {"selection", selection_to_json(selection, distilled)},
               {"validation", {{"log_loss", selection.validation_loss}, {"pooled_log_loss", selection.pooled_loss}}},
               {"heterogeneity", heterogeneity_to_json(selection)}};
  json["selection"]["why"] = why;
  return json;
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
  const SelectionOptions choices = selection_options(problem, options, threads);
  const Selection selection =
      select_settings(log, problem, pooled.penalty, choices,
                      [&](double done) { report(0.05 + 0.85 * done, "comparing settings on held-out rows"); });

  report(0.9, "one model of all fits");
  Distilled distilled{pooled.fit.layout, pooled.fit.theta, 0};
  std::string why = "one trade-off for everybody was asked for";
  if (!choices.experts.empty() && options.experts.is_auto() && selection.gain.mean <= 0) {
    why = "no setting predicts held-out rows better than one trade-off for everybody";
  } else if (!choices.experts.empty()) {
    distilled = deploy(problem, selection, choices);
    why = fmt::format("the average of {} settings, weighed by held-out rows, in {} experts", selection.tried.size(),
                      distilled.layout.num_experts);
  }
  report(1, "done");
  return assemble(log, distilled.layout, distilled.theta, options.method, options.estimator,
                  provenance(log, options, selection, distilled, why));
}

}  // namespace otss
