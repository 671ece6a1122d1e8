#include "evaluate_policy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "otss/base/error.hpp"
#include "text_table.hpp"

namespace otss::app {
namespace {

Error usage(const std::string& message) { return Error(ErrorCode::kUsage, message); }

Json json_of(const ValueEstimate& estimate) {
  return {{"value", estimate.value}, {"lo", estimate.lo}, {"hi", estimate.hi}};
}

// Returns the number of decimals to print. With this number, half the width of the narrowest
// interval has three significant digits.
int decimals_for(const std::vector<ValueEstimate>& estimates) {
  constexpr int kMost = 8;
  double narrowest = std::numeric_limits<double>::infinity();
  for (const ValueEstimate& estimate : estimates) {
    const double width = (estimate.hi - estimate.lo) / 2;
    if (width > 0) narrowest = std::min(narrowest, width);
  }
  if (!std::isfinite(narrowest)) return 4;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(narrowest))), 0, kMost);
}

std::vector<std::string> cells(const std::string& name, const ValueEstimate& estimate,
                               const char* sign, int decimals) {
  if (std::isnan(estimate.value)) return {name, "undefined", ""};
  const auto number = [&](double value) {
    return fmt::format(fmt::runtime(fmt::format("{{:{}.{}f}}", sign, decimals)), value);
  };
  if (std::isnan(estimate.lo)) return {name, number(estimate.value), "undefined"};
  return {name, number(estimate.value),
          fmt::format("[{}, {}]", number(estimate.lo), number(estimate.hi))};
}

std::string estimates_text(const PolicyValue& value) {
  // The direct estimate is left out here. Its interval is much narrower than the other intervals,
  // so it would lead to too many decimals for the other estimates.
  const int decimals = decimals_for({value.doubly_robust, value.ips, value.snips, value.logging});
  TextTable table({"", "value", fmt::format("{:.4g} % interval", 100 * value.level)});
  table.add(cells("doubly robust", value.doubly_robust, "", decimals));
  table.add(cells("ips", value.ips, "", decimals));
  table.add(cells("snips", value.snips, "", decimals));
  table.add(cells("direct (model predictions only)", value.direct, "", decimals));
  table.add(cells("logging policy (mean outcome)", value.logging, "", decimals));
  table.add(cells("gain (doubly robust - logging)", value.gain, "+", decimals));
  return table.str();
}

std::string overlap_text(const PolicyValue& value) {
  TextTable table({"", ""});
  if (value.num_units != value.num_rows)
    table.add({"independent groups", fmt::format("{}", value.num_units)});
  table.add({"effective sample size", fmt::format("{:.1f}", value.effective_sample_size)});
  table.add({"agreement, share of rows", fmt::format("{:.2f} %", 100 * value.agreement)});
  if (!std::isnan(value.never_logged))
    table.add({"never logged, share of rows", fmt::format("{:.2f} %", 100 * value.never_logged)});
  table.add({"mean importance weight", fmt::format("{:.4g}", value.mean_importance)});
  table.add({"largest importance weight", fmt::format("{:.4g}", value.max_importance)});
  table.add({"smallest propensity", fmt::format("{:.4g}", value.min_propensity)});
  return table.str();
}

}  // namespace

void PolicyArguments::add(CLI::App& command) {
  command
      .add_option("--propensity", propensity,
                  "column of TABLE with the probability with which the logged decision was chosen; "
                  "with this option the value of the model's decisions is estimated from TABLE")
      ->type_name("COL");
  command.add_option("--decision", decision, "column of TABLE with the id of the logged decision")
      ->type_name("COL");
  command.add_flag("--in-sample", in_sample,
                   "estimate the value even if the model was fitted on the rows of TABLE");
}

void PolicyArguments::check_usage(const CLI::App& command,
                                  const FeasibleArguments& feasible) const {
  if (!is_given()) {
    for (const char* option : {"--decision", "--context-id", "--in-sample"}) {
      if (command.count(option) > 0)
        throw usage(fmt::format(
            "{0} needs --propensity COL; add --propensity COL, or leave out {0}", option));
    }
    return;
  }
  if (decision.empty()) {
    throw usage(
        "--propensity needs --decision COL; COL is the column of TABLE with the id of the logged "
        "decision");
  }
  if (feasible.library.empty() == feasible.candidates.empty()) {
    throw usage(
        "--propensity needs the decisions to choose from; give either --library LIB or "
        "--candidates "
        "CAND");
  }
  if (feasible.id.empty())
    throw usage(
        "--propensity needs --id COL; COL is the column of LIB or CAND with the ids of the "
        "decisions");
  if (!feasible.context_id.empty() && feasible.candidates.empty()) {
    throw usage(
        "--context-id is used only with --candidates; with --library, leave out --context-id");
  }
}

Json policy_json(const EvaluatedPolicy& policy) {
  const PolicyValue& value = policy.value;
  Json result = {{"ips", json_of(value.ips)},
                 {"snips", json_of(value.snips)},
                 {"direct", json_of(value.direct)},
                 {"doubly_robust", json_of(value.doubly_robust)},
                 {"logging_policy", json_of(value.logging)},
                 {"gain", json_of(value.gain)},
                 {"level", value.level},
                 {"effective_sample_size", value.effective_sample_size},
                 {"agreement", value.agreement},
                 {"mean_importance_weight", value.mean_importance},
                 {"max_importance_weight", value.max_importance},
                 {"min_propensity", value.min_propensity},
                 {"independent_units", value.num_units},
                 {"in_sample", policy.in_sample},
                 {"warnings", policy.warnings}};
  if (!std::isnan(value.never_logged)) result["never_logged"] = value.never_logged;
  return result;
}

std::string policy_text(const PolicyValue& value) {
  return fmt::format("value of the model's decisions on {} logged rows\n\n{}\n{}", value.num_rows,
                     estimates_text(value), overlap_text(value));
}

PolicyQuestion PolicyArguments::question(double level) const {
  return {.columns = {decision, propensity}, .level = level, .in_sample = in_sample};
}

}  // namespace otss::app
