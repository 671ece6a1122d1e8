#include "report/sections/varied_contexts.hpp"

#include <algorithm>
#include <cmath>

#include "otss/model/uncertainty.hpp"

namespace otss::internal {

std::vector<std::size_t> spaced_positions(std::size_t count, std::size_t most) {
  const std::size_t num = std::min(count, most);
  std::vector<std::size_t> positions(num);
  for (std::size_t i = 0; i < num; ++i) positions[i] = i * count / num;
  return positions;
}

std::vector<double> rows_of(std::span<const double> matrix, std::size_t width,
                            std::span<const std::size_t> rows) {
  std::vector<double> result;
  result.reserve(rows.size() * width);
  for (const std::size_t row : rows) {
    const auto entries = matrix.subspan(row * width, width);
    result.insert(result.end(), entries.begin(), entries.end());
  }
  return result;
}

std::size_t RowLimits::affordable(double of_row) const {
  return std::clamp(static_cast<std::size_t>(work / std::max(1.0, of_row)), least, most);
}

double work_of_draws(const Fitted& fitted) {
  if (!fitted.has_uncertainty()) return 0;
  return static_cast<double>(fitted.num_experts()) *
         (fitted.num_contexts() + fitted.num_factors()) * fitted.uncertainty().num_draws();
}

VariedContexts::VariedContexts(const Encoder& encoder, const ContextSample& sample,
                               std::size_t most)
    : encoder_(encoder), sample_(sample), rows_(spaced_positions(sample.num_rows, most)) {
  // The levels are sorted, so a text that begins with the last level and is longer is no level.
  for (const ContextColumn& column : encoder.contexts)
    unknown_.push_back((column.levels.empty() ? "" : column.levels.back()) + "?");
}

std::vector<double> VariedContexts::as_they_are() const {
  return rows_of(sample_.x, encoder_.num_encoded(), rows_);
}

std::vector<RawValue> VariedContexts::values_of(std::size_t row) const {
  std::vector<RawValue> values;
  for (std::size_t c = 0; c < encoder_.contexts.size(); ++c) {
    const ContextColumn& column = encoder_.contexts[c];
    const double raw = sample_.raw[c][row];
    if (column.kind == ColumnKind::kNumber) {
      values.emplace_back(raw);
    } else if (std::isnan(raw)) {
      values.emplace_back(std::string_view());
    } else {
      const bool known = raw >= 0 && raw < static_cast<double>(column.levels.size());
      values.emplace_back(known ? column.levels[static_cast<std::size_t>(raw)] : unknown_[c]);
    }
  }
  return values;
}

void VariedContexts::append(std::span<const RawValue> values, std::vector<double>& out) const {
  const std::size_t p = encoder_.num_encoded();
  out.resize(out.size() + p);
  encoder_.encode(values, std::span(out).last(p));
}

std::vector<double> VariedContexts::with(std::size_t column, const RawValue& value) const {
  std::vector<double> x;
  for (const std::size_t row : rows_) {
    std::vector<RawValue> values = values_of(row);
    values[column] = value;
    append(values, x);
  }
  return x;
}

std::vector<double> VariedContexts::shifted(std::size_t column, double by) const {
  std::vector<double> x;
  for (const std::size_t row : rows_) {
    std::vector<RawValue> values = values_of(row);
    if (std::isnan(values[column].number)) continue;
    values[column].number += by;
    append(values, x);
  }
  return x;
}

}  // namespace otss::internal
