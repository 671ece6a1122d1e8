#include "data/log/log_labels.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "data/log/fingerprint.hpp"
#include "data/log/log_checks.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// Returns the bytes of a number as a text, so that groups given as numbers and groups given as
// texts can use the same dictionary. Returns a null text for NaN, which means a missing group.
std::string_view as_text(const double& number) {
  if (std::isnan(number)) return {};
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

}  // namespace

void LogLabels::append(const TableChunk& chunk) {
  const auto outcomes = chunk.columns[layout_.outcome].numbers;
  check_outcomes(layout_, outcome_kind_, outcomes, chunk.first_row);
  outcomes_.insert(outcomes_.end(), outcomes.begin(), outcomes.end());
  if (!layout_.weight) total_weight_ += static_cast<double>(chunk.num_rows);
  if (layout_.weight) {
    const auto weights = chunk.columns[*layout_.weight].numbers;
    check_weights(layout_, weights, chunk.first_row);
    weights_.insert(weights_.end(), weights.begin(), weights.end());
    for (const double weight : weights) total_weight_ += weight;
  }
  if (layout_.time) {
    const auto times = chunk.columns[*layout_.time].numbers;
    check_times(layout_, times, chunk.first_row);
    times_.insert(times_.end(), times.begin(), times.end());
  }
  if (layout_.group) append_groups(chunk.columns[*layout_.group], chunk.first_row);
  if (layout_.unit) append_units(chunk.columns[*layout_.unit], chunk.first_row);
}

void LogLabels::append_groups(const ColumnChunk& chunk, std::size_t first_row) {
  const bool is_text = chunk.kind == ColumnKind::kText;
  const std::size_t num_rows = is_text ? chunk.texts.size() : chunk.numbers.size();
  for (std::size_t row = 0; row < num_rows; ++row) {
    const std::string_view group = is_text ? chunk.texts[row] : as_text(chunk.numbers[row]);
    if (group.data() == nullptr) {
      throw Error(
          ErrorCode::kInput,
          fmt::format("{}group '{}' is missing in {}; give every row a group, or leave out --group",
                      layout_.prefix(), layout_.roles.group, layout_.row(first_row + row)));
    }
    groups_.push_back(group_codes_.code(group, hash_text(group)));
  }
}

void LogLabels::append_units(const ColumnChunk& chunk, std::size_t first_row) {
  for (std::size_t row = 0; row < chunk.texts.size(); ++row) {
    const std::string_view unit = chunk.texts[row];
    if (unit.data() == nullptr) {
      throw Error(
          ErrorCode::kInput,
          fmt::format("{}unit '{}' is missing in {}; give every row a unit, or leave out --unit",
                      layout_.prefix(), layout_.roles.unit, layout_.row(first_row + row)));
    }
    units_.push_back(unit_codes_.code(unit, hash_text(unit)));
  }
}

void LogLabels::check_all_rows() const {
  check_outcome_varies(layout_, outcomes_);
  check_some_weight(layout_, weights_);
}

void LogLabels::move_into(LoggedData::Parts& parts) && {
  parts.outcomes = std::move(outcomes_);
  parts.weights = std::move(weights_);
  parts.times = std::move(times_);
  parts.groups = std::move(groups_);
  parts.num_groups = group_codes_.size();
  parts.units = std::move(units_);
  parts.unit_names = unit_codes_.texts();
}

}  // namespace otss::internal
