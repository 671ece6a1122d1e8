#include "data/log/log_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "data/table/number_text.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

Error bad_log(const LogLayout& layout, const std::string& message) {
  return {ErrorCode::kInput, layout.prefix() + message};
}

std::string shown(double value) {
  if (std::isnan(value)) return "missing";
  if (std::isinf(value)) return "infinite";
  std::string text;
  append_number(text, value);
  return text;
}

// Throws an Error for the first value for which `is_good` is false.
template <class Predicate>
void check_values(const LogLayout& layout, std::string_view role, std::size_t column,
                  std::span<const double> values, std::size_t first_row, Predicate is_good,
                  std::string_view way_out) {
  bool all_good = true;
  for (const double value : values) all_good &= is_good(value);
  if (all_good) return;
  const auto bad = std::find_if_not(values.begin(), values.end(), is_good);
  throw bad_log(
      layout,
      fmt::format("{} '{}' is {} in {}; {}", role, layout.requests[column].name, shown(*bad),
                  layout.row(first_row + static_cast<std::size_t>(bad - values.begin())), way_out));
}

// Outcomes and weights are stored in single precision, which holds numbers up to 3e38. Their sums
// must stay below 3e38 too. This is the case if each outcome and each weight is below 1e30.
constexpr double kLargestLabel = 1e30;

bool is_label(double value) { return std::abs(value) < kLargestLabel; }

bool is_finite(double value) { return std::abs(value) <= std::numeric_limits<double>::max(); }

}  // namespace

void check_outcomes(const LogLayout& layout, OutcomeKind kind, std::span<const double> values,
                    std::size_t first_row) {
  const auto check = [&](auto is_good, std::string_view way_out) {
    check_values(layout, "outcome", layout.outcome, values, first_row, is_good, way_out);
  };
  check([](double y) { return !std::isnan(y); }, "fill in the value, or drop the row");
  switch (kind) {
    case OutcomeKind::kBinary:
      check(
          [](double y) { return y == 0 || y == 1; },
          "an outcome must be 0 or 1; say which value counts as 1 with --positive VALUE, drop the "
          "row, or fit with --family gaussian or poisson");
      break;
    case OutcomeKind::kReal:
      check(is_label,
            "an outcome must be a number between -1e30 and 1e30; correct or drop the row");
      break;
    case OutcomeKind::kCount:
      check([](double y) { return y >= 0 && is_label(y) && y == std::floor(y); },
            "an outcome must be a count (0, 1, 2, …); correct or drop the row");
      break;
  }
}

void check_weights(const LogLayout& layout, std::span<const double> values, std::size_t first_row) {
  const auto check = [&](auto is_good, std::string_view way_out) {
    check_values(layout, "weight", layout.weight.value(), values, first_row, is_good, way_out);
  };
  check([](double w) { return w >= 0; }, "weights must not be negative; correct or drop the row");
  check(is_label, "weights must be below 1e30; rescale the column or correct the row");
}

void check_times(const LogLayout& layout, std::span<const double> values, std::size_t first_row) {
  check_values(layout, "time", layout.time.value(), values, first_row, is_finite,
               "every row needs a time; fill in the time, or leave out --time");
}

void check_factor(const LogLayout& layout, std::size_t factor, std::span<const double> values,
                  std::size_t first_row) {
  check_values(layout, "factor", layout.num_contexts() + factor, values, first_row, is_finite,
               "factors must be finite numbers; correct or drop the row");
}

void check_context(const LogLayout& layout, std::size_t context, std::span<const double> values,
                   std::size_t first_row) {
  check_values(
      layout, "context", context, values, first_row, [](double x) { return !std::isinf(x); },
      "contexts must be finite or missing; correct or drop the row");
}

void refuse_outlier(const LogLayout& layout, std::size_t column, std::span<const double> values,
                    std::size_t first_row) {
  const auto size = [](double value) { return std::isnan(value) ? 0 : std::abs(value); };
  const auto largest = std::max_element(values.begin(), values.end(),
                                        [&](double a, double b) { return size(a) < size(b); });
  throw bad_log(
      layout,
      fmt::format("{} '{}' is {} in {}; this value is so far from the other values of the column "
                  "that single precision cannot hold them all; correct this value, or rescale the "
                  "column",
                  column < layout.num_contexts() ? "context" : "factor",
                  layout.requests[column].name, shown(*largest),
                  layout.row(first_row + static_cast<std::size_t>(largest - values.begin()))));
}

void check_outcome_varies(const LogLayout& layout, std::span<const float> outcomes) {
  const auto [low, high] = std::minmax_element(outcomes.begin(), outcomes.end());
  if (*low < *high) return;
  throw bad_log(layout, fmt::format("outcome '{}' is {} in every row; nothing can be learned from "
                                    "a constant outcome; add rows with another outcome",
                                    layout.roles.outcome, shown(*low)));
}

void check_some_weight(const LogLayout& layout, std::span<const float> weights) {
  if (weights.empty() || *std::max_element(weights.begin(), weights.end()) > 0) return;
  throw bad_log(
      layout, fmt::format("weight '{}' is 0 in every row; give at least one row a positive weight",
                          layout.roles.weight));
}

void check_factor_varies(const LogLayout& layout, std::size_t factor,
                         const ColumnSummary& summary) {
  if (!summary.is_constant()) return;
  throw bad_log(layout, fmt::format("factor '{}' is {} in every row{}, so its weight cannot be "
                                    "learned; leave it out of --factors",
                                    layout.roles.factors[factor], shown(summary.mean()),
                                    layout.weight ? " whose weight is above 0" : ""));
}

void check_range(const LogLayout& layout, std::size_t column, const ColumnSummary& summary) {
  if (summary.is_constant() || summary.standardised_fits_f32()) return;
  throw bad_log(layout, fmt::format("column '{}' has values from {} to {}, a range too wide for "
                                    "single precision; correct the extreme values, or replace the "
                                    "values by their logarithms",
                                    layout.requests[column].name, shown(summary.min()),
                                    shown(summary.max())));
}

std::vector<std::string> notes_on_levels(const LogLayout& layout, const std::string& context,
                                         const std::vector<std::string>& texts,
                                         const std::vector<TextLevel>& levels) {
  std::vector<std::string> notes;
  const auto add = [&](const std::optional<std::string>& note) {
    if (note) notes.push_back(fmt::format("{}context '{}': {}", layout.prefix(), context, *note));
  };
  add(note_on_case(texts));
  add(note_on_missing(texts, levels));
  if (layout.kinds_are_guessed) add(note_on_numbers(texts, levels, layout.rules));
  return notes;
}

}  // namespace otss::internal
