#include "report/sections/column_facts.hpp"

#include <algorithm>
#include <cmath>

namespace otss::internal {
namespace {

double rounded_as(ValueType type, double value) {
  const bool whole = type == ValueType::kWholeNumber || type == ValueType::kBoolean;
  return whole ? std::round(value) : value;
}

TypicalValue typical_of_training(const ContextColumn& column) {
  constexpr double kHalf = 0.5;
  if (column.missing_frequency > kHalf) return {};
  if (column.kind == ColumnKind::kNumber) return rounded_as(column.type, column.center);
  if (column.levels.empty()) return {};
  const auto most = std::ranges::max_element(column.level_frequencies);
  return column.levels[most - column.level_frequencies.begin()];
}

TypicalValue typical_of_log(const ContextColumn& column, const std::vector<double>& raw) {
  const std::size_t missing = std::ranges::count_if(raw, [](double v) { return std::isnan(v); });
  if (2 * missing > raw.size()) return {};
  if (column.kind == ColumnKind::kNumber) {
    const std::vector<double> sorted = sorted_values(raw);
    if (sorted.empty()) return {};
    return sorted[sorted.size() / 2];
  }
  std::vector<std::size_t> counts(column.levels.size(), 0);
  for (const double value : raw) {
    if (value >= 0) ++counts[static_cast<std::size_t>(value)];
  }
  const auto most = std::ranges::max_element(counts);
  if (most == counts.end() || *most == 0) return {};
  return column.levels[most - counts.begin()];
}

}  // namespace

std::vector<double> sorted_values(const std::vector<double>& raw) {
  std::vector<double> values;
  std::ranges::copy_if(raw, std::back_inserter(values), [](double v) { return !std::isnan(v); });
  std::ranges::sort(values);
  return values;
}

double sorted_quantile(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

std::vector<ColumnFacts> column_facts(const ReportInput& input) {
  std::vector<ColumnFacts> facts;
  for (std::size_t c = 0; c < input.encoder().contexts.size(); ++c) {
    const ContextColumn& column = input.encoder().contexts[c];
    ColumnFacts one{.range = column.range};
    if (input.log != nullptr) {
      one.source = FactSource::kLog;
      const std::vector<double> sorted = sorted_values(input.contexts.raw[c]);
      if (column.kind == ColumnKind::kNumber && !sorted.empty()) {
        one.range = ValueRange{sorted.front(), sorted.back()};
        for (const double p : kQuantileProbabilities)
          one.quantiles.push_back(sorted_quantile(sorted, p));
      }
    }
    facts.push_back(std::move(one));
  }
  return facts;
}

std::vector<TypicalValue> typical_values(const Encoder& encoder, const LogSummary* log) {
  std::vector<TypicalValue> values;
  for (std::size_t c = 0; c < encoder.contexts.size(); ++c) {
    const ContextColumn& column = encoder.contexts[c];
    values.push_back(log != nullptr ? typical_of_log(column, log->sample.raw[c])
                                    : typical_of_training(column));
  }
  return values;
}

ContextSample typical_sample(const Encoder& encoder) {
  ContextSample sample{.num_rows = 1, .x = std::vector<double>(encoder.num_encoded())};
  const std::vector<TypicalValue> values = typical_values(encoder, nullptr);
  std::vector<RawValue> row;
  for (std::size_t c = 0; c < values.size(); ++c) {
    const bool is_text = encoder.contexts[c].kind == ColumnKind::kText;
    double raw = kNotKnown;
    if (const auto* number = std::get_if<double>(&values[c])) raw = *number;
    const auto* text = std::get_if<std::string>(&values[c]);
    if (text != nullptr) {
      const auto& levels = encoder.contexts[c].levels;
      raw = static_cast<double>(std::ranges::find(levels, *text) - levels.begin());
    }
    row.push_back(is_text ? RawValue(text != nullptr ? std::string_view(*text) : std::string_view())
                          : RawValue(raw));
    sample.raw.push_back({raw});
  }
  encoder.encode(row, sample.x);
  return sample;
}

}  // namespace otss::internal
