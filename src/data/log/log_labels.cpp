#include "data/log/log_labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/ranks/message.hpp"
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

// Returns the smallest and the largest value of all ranks. `ranks` may be null.
std::vector<float> extremes_of(const std::vector<float>& values, Ranks* ranks) {
  const auto own = std::ranges::minmax(values);
  std::vector<float> extremes{own.min, own.max};
  if (ranks == nullptr) return extremes;
  const std::string all = ranks->fold([&](const std::string& before) {
    if (!before.empty()) {
      const auto others = MessageReader(before).get<std::vector<float>>();
      extremes = {std::min(own.min, others[0]), std::max(own.max, others[1])};
    }
    MessageWriter writer;
    writer.put(extremes);
    return std::move(writer).take();
  });
  return MessageReader(all).get<std::vector<float>>();
}

// Changes the size. A vector that must move gets room for twice as many numbers; what it does not use of
// that takes address space, but no memory.
template <class Number>
void resize_in_place(std::vector<Number>& numbers, std::size_t size) {
  if (size > numbers.capacity()) numbers.reserve(std::max(size, 2 * numbers.capacity()));
  numbers.resize(size);
}

}  // namespace

void LogLabels::append(const TableChunk& chunk) {
  const auto outcomes = chunk.columns[layout_.outcome].numbers;
  check_outcomes(layout_, outcome_kind_, outcomes, chunk.first_row);
  make_room(chunk.first_row - first_row_ + chunk.num_rows);
  const std::shared_lock lock(growing_);
  const auto place = static_cast<std::ptrdiff_t>(chunk.first_row - first_row_);
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
  if (layout_.group)
    add_codes(chunk.columns[*layout_.group], chunk.first_row, "group", layout_.roles.group,
              groups_);
  if (layout_.unit)
    add_codes(chunk.columns[*layout_.unit], chunk.first_row, "unit", layout_.roles.unit, units_);
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
  constexpr std::size_t kRowsAhead = 65'536;
  if (num_rows > outcomes_.size()) resize(num_rows + kRowsAhead);
}

void LogLabels::resize(std::size_t num_rows) {
  resize_in_place(outcomes_, num_rows);
  if (layout_.weight) resize_in_place(weights_, num_rows);
  if (layout_.time) resize_in_place(times_, num_rows);
  if (layout_.group) resize_in_place(groups_.of_rows, num_rows);
  if (layout_.unit) resize_in_place(units_.of_rows, num_rows);
}

void LogLabels::add_codes(const ColumnChunk& chunk, std::size_t first_row, const char* role,
                          const std::string& column, Labels& labels) const {
  std::vector<std::string_view> values(chunk.texts.begin(), chunk.texts.end());
  for (const double& number : chunk.numbers) values.push_back(as_text(number));
  const auto missing =
      std::ranges::find_if(values, [](std::string_view value) { return value.data() == nullptr; });
  if (missing != values.end()) {
    throw Error(
        ErrorCode::kInput,
        fmt::format("{}{} '{}' is missing in {}; give every row a {}, or leave out --{}",
                    layout_.prefix(), role, column,
                    layout_.row(first_row + static_cast<std::size_t>(missing - values.begin())),
                    role, role));
  }
  labels.codes.add(values, first_row,
                   std::span(labels.of_rows).subspan(first_row - first_row_, values.size()));
}

std::vector<std::uint32_t> LogLabels::Labels::number_by_first_row() {
  std::vector<std::uint32_t> sorted = codes.by_first_row();
  if (std::ranges::is_sorted(sorted)) return sorted;
  std::vector<std::uint32_t> number_of(sorted.size());
  for (std::size_t i = 0; i < number_of.size(); ++i)
    number_of[sorted[i]] = static_cast<std::uint32_t>(i);
  for (std::uint32_t& code : of_rows) code = number_of[code];
  return sorted;
}

void LogLabels::complete(Ranks* ranks) {
  resize(num_rows_);
  check_outcome_varies(layout_, extremes_of(outcomes_, ranks));
  if (!weights_.empty()) check_some_weight(layout_, extremes_of(weights_, ranks));
}

void LogLabels::move_into(LoggedData::Parts& parts) && {
  parts.outcomes = std::move(outcomes_);
  parts.weights = std::move(weights_);
  parts.times = std::move(times_);
  const std::vector<std::uint32_t> groups = groups_.number_by_first_row();
  parts.groups = std::move(groups_.of_rows);
  parts.num_groups = groups.size();
  for (const std::uint32_t code : groups)
    parts.group_hashes.push_back(hash_text(groups_.codes.texts()[code]));
  for (const std::uint32_t code : units_.number_by_first_row())
    parts.unit_names.push_back(units_.codes.texts()[code]);
  parts.units = std::move(units_.of_rows);
}

}  // namespace otss::internal
