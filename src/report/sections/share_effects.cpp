#include "report/sections/share_effects.hpp"

#include <algorithm>
#include <utility>

#include "base/threads.hpp"
#include "otss/model/uncertainty.hpp"
#include "report/sections/mean_weights.hpp"
#include "report/sections/varied_contexts.hpp"

namespace otss::internal {
namespace {

constexpr RowLimits kEffectRows{.least = 50, .most = 1000, .work = 4e9};
constexpr RowLimits kEffectIntervalRows{.least = 10, .most = 200, .work = 4e9};

// The contexts before and after a change.
struct Change {
  std::vector<double> before, after;
};

Change change_of(const Encoder& encoder, const VariedContexts& contexts, const ColumnValue& value) {
  const ContextColumn& column = encoder.contexts[value.column];
  if (value.level)
    return {contexts.as_they_are(),
            contexts.with(value.column, std::string_view(column.levels[*value.level]))};
  const bool is_text = column.kind == ColumnKind::kText;
  if (value.missing) {
    const RawValue missing = is_text ? RawValue(std::string_view()) : RawValue(kNotKnown);
    return {contexts.as_they_are(), contexts.with(value.column, missing)};
  }
  if (column.type == ValueType::kBoolean)
    return {contexts.with(value.column, 0), contexts.with(value.column, 1)};
  return {contexts.shifted(value.column, -column.scale / 2),
          contexts.shifted(value.column, column.scale / 2)};
}

std::vector<ColumnValue> changes_of(const Encoder& encoder) {
  std::vector<ColumnValue> changes;
  for (std::size_t c = 0; c < encoder.contexts.size(); ++c) {
    const ContextColumn& column = encoder.contexts[c];
    if (column.kind == ColumnKind::kNumber && column.scale > 0) changes.push_back({c});
    for (std::size_t level = 0; level < column.levels.size(); ++level)
      changes.push_back({c, level});
    if (column.has_missing) changes.push_back({c, std::nullopt, true});
  }
  return changes;
}

// Adds intervals to the changes of the shares. The draws of the weights' error give draws of the
// change of the weights, and the latter are converted to changes of the shares.
void add_intervals(const Fitted& fitted, const SharesOfWeights& shares, const Change& change,
                   std::vector<Estimate>& changes) {
  const Uncertainty& uncertainty = fitted.uncertainty();
  const std::size_t rows = change.after.size() / fitted.num_contexts();
  const double part = 1 / static_cast<double>(rows);
  std::vector<double> x = change.after;
  x.insert(x.end(), change.before.begin(), change.before.end());
  std::vector<double> coefficients(2 * rows, part);
  std::fill(coefficients.begin() + static_cast<std::ptrdiff_t>(rows), coefficients.end(), -part);
  std::vector<double> draws(static_cast<std::size_t>(uncertainty.num_draws()) *
                            fitted.num_factors());
  uncertainty.combined_departures(x, coefficients, draws);
  std::vector<double> lo(changes.size());
  std::vector<double> hi(changes.size());
  uncertainty.interval_of(shares.shares(draws), kReportLevel, Coverage::kEachFactor, lo, hi);
  for (std::size_t k = 0; k < changes.size(); ++k) {
    changes[k].lo = changes[k].value + lo[k];
    changes[k].hi = changes[k].value + hi[k];
  }
}

}  // namespace

ShareEffects share_effects(const ReportInput& input, std::span<const double> sds) {
  const Encoder& encoder = input.encoder();
  const std::vector<ColumnValue> values = changes_of(encoder);
  const SharesOfWeights conversion(*input.fitted.mixture(), sds);
  // Each change needs the contexts before and after it.
  const double num_changes = 2.0 * static_cast<double>(values.size());
  const double of_shares = (input.fitted.num_experts() + 2.0) * input.fitted.num_contexts();
  const VariedContexts all(encoder, input.contexts,
                           kEffectRows.affordable(num_changes * of_shares));
  const VariedContexts few(
      encoder, input.contexts,
      kEffectIntervalRows.affordable(num_changes * work_of_draws(input.fitted)));
  const bool has_intervals = input.fitted.has_uncertainty() && conversion.is_determined();
  std::vector<ShareEffect> effects(values.size());
  parallel_for(values.size(), input.threads, [&](std::size_t i) {
    effects[i].value = values[i];
    const Change change = change_of(encoder, all, values[i]);
    if (change.after.empty()) return;
    const std::vector<double> before = mean_shares(input.fitted, change.before);
    const std::vector<double> after = mean_shares(input.fitted, change.after);
    for (std::size_t k = 0; k < after.size(); ++k)
      effects[i].changes.push_back({after[k] - before[k]});
    const Change some = has_intervals ? change_of(encoder, few, values[i]) : Change{};
    if (!some.after.empty()) add_intervals(input.fitted, conversion, some, effects[i].changes);
  });
  std::erase_if(effects, [](const ShareEffect& one) { return one.changes.empty(); });
  return {std::move(effects), all.num_rows(), has_intervals ? few.num_rows() : 0};
}

}  // namespace otss::internal
