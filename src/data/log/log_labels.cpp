#include "data/log/log_labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

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
  make_room(chunk.first_row + chunk.num_rows);
  const std::shared_lock lock(growing_);
  const auto place = static_cast<std::ptrdiff_t>(chunk.first_row);
  std::ranges::copy(outcomes, outcomes_.begin() + place);
  if (layout_.weight) {
    const auto weights = chunk.columns[*layout_.weight].numbers;
    check_weights(layout_, weights, chunk.first_row);
    std::ranges::copy(weights, weights_.begin() + place);
  }
  if (layout_.time) {
    const auto times = chunk.columns[*layout_.time].numbers;
    check_times(layout_, times, chunk.first_row);
    std::ranges::copy(times, times_.begin() + place);
  }
  if (layout_.group) add_groups(chunk.columns[*layout_.group], chunk.first_row);
}

void LogLabels::make_room(std::size_t num_rows) {
  std::size_t known = num_rows_;
  while (known < num_rows && !num_rows_.compare_exchange_weak(known, num_rows)) {
  }
  {
    const std::shared_lock lock(growing_);
    if (num_rows <= outcomes_.size()) return;
  }
  const std::lock_guard lock(growing_);
  if (num_rows > outcomes_.size()) resize(std::max(num_rows, 2 * outcomes_.size()));
}

void LogLabels::resize(std::size_t num_rows) {
  outcomes_.resize(num_rows);
  if (layout_.weight) weights_.resize(num_rows);
  if (layout_.time) times_.resize(num_rows);
  if (layout_.group) groups_.resize(num_rows);
}

void LogLabels::add_groups(const ColumnChunk& chunk, std::size_t first_row) {
  std::vector<std::string_view> groups(chunk.texts.begin(), chunk.texts.end());
  for (const double& number : chunk.numbers) groups.push_back(as_text(number));
  const auto missing =
      std::ranges::find_if(groups, [](std::string_view group) { return group.data() == nullptr; });
  if (missing != groups.end()) {
    throw Error(
        ErrorCode::kInput,
        fmt::format("{}group '{}' is missing in {}; give every row a group, or leave out --group",
                    layout_.prefix(), layout_.roles.group,
                    layout_.row(first_row + static_cast<std::size_t>(missing - groups.begin()))));
  }
  group_codes_.add(groups, first_row, std::span(groups_).subspan(first_row, groups.size()));
}

void LogLabels::complete() {
  resize(num_rows_);
  check_outcome_varies(layout_, outcomes_);
  check_some_weight(layout_, weights_);
  // Groups are numbered in the order of their first rows, whatever the order in which threads added
  // the rows.
  const std::vector<std::uint32_t> order = group_codes_.sorted().codes;
  if (std::ranges::is_sorted(order)) return;
  std::vector<std::uint32_t> number_of(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    number_of[order[i]] = static_cast<std::uint32_t>(i);
  for (std::uint32_t& group : groups_) group = number_of[group];
}

void LogLabels::move_into(LoggedData::Parts& parts) && {
  parts.outcomes = std::move(outcomes_);
  parts.weights = std::move(weights_);
  parts.times = std::move(times_);
  parts.groups = std::move(groups_);
  parts.num_groups = group_codes_.texts().size();
}

}  // namespace otss::internal
