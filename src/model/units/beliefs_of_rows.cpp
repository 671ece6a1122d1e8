#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"
#include "data/terms/term_columns.hpp"
#include "model/units/state_parts.hpp"
#include "otss/base/error.hpp"
#include "otss/model/unit_states.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kBlockBeliefs = 64;

bool is_kept_row(const UnitStates::Parts& parts, std::size_t unit, NewRow row) {
  for (std::size_t k = parts.first_kept[unit]; k < parts.first_kept[unit + 1]; ++k) {
    const StoredRow kept = parts.kept[k];
    if (kept.offset() == row.offset() && kept.outcome() == row.outcome() &&
        std::ranges::equal(kept.direction(), row.direction()))
      return true;
  }
  return false;
}

bool has_log_columns(const Fitted& fitted, const TableReader& reader, const std::string& unit) {
  std::vector<std::string> names = fitted.factor_names();
  names.insert(names.end(), {fitted.roles().outcome, unit});
  return std::ranges::all_of(
      names, [&](const std::string& name) { return has_factor(reader.columns(), name); });
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

void require_new_rows(const UnitColumns& columns, const TableSource& table,
                      const FeasibleSet* centered_by) {
  if (columns.states == nullptr || !columns.time.empty()) return;
  const UnitStates::Parts& parts = columns.states->parts();
  const Fitted& fitted = columns.states->fitted();
  if (parts.keep_rows == 0) return;
  const TableReader reader(fitted.encoder().as_trained(table));
  if (!has_log_columns(fitted, reader, columns.unit)) return;
  if (!fitted.roles().centered_by.empty() && centered_by == nullptr) return;
  const UpdateOptions options{.unit = columns.unit, .centered_by = centered_by};
  const auto check = [&](const HistoryChunk& chunk) {
    for (std::size_t row = 0; row < chunk.units.size(); ++row) {
      if (chunk.units[row].data() == nullptr) continue;
      const auto unit = columns.states->find(chunk.units[row]);
      if (!unit || !is_kept_row(parts, *unit, chunk.rows[row])) continue;
      throw Error(
          ErrorCode::kInput,
          fmt::format("{}: row {}: this row is also in the history, which must not know the "
                      "rows that it is applied to; give --time COL, so that only earlier "
                      "rows count, or leave the row out of one of the two tables",
                      reader.name(), chunk.first_row + row + 1));
    }
  };
  read_history(*parts.model, reader, options, MissingUnits::kAllow, check);
}

BeliefsOfRows::BeliefsOfRows(const UnitStates& states, std::span<const std::string_view> units,
                             std::span<const double> times, std::string_view table,
                             std::size_t first_row, int threads)
    : beliefs_(units.size()), of_rows_(units.size(), nullptr) {
  const auto find = [&](std::size_t row) {
    if (units[row].data() == nullptr) return;
    const std::optional<std::size_t> unit = states.find(units[row]);
    if (!unit) return;
    if (times.empty()) {
      beliefs_[row] = states.belief(*unit);
    } else if (std::optional<UnitBelief> earlier = states.belief(*unit, times[row])) {
      beliefs_[row] = *std::move(earlier);
    } else {
      return;
    }
    of_rows_[row] = &beliefs_[row];
  };
  parallel_for((units.size() + kBlockBeliefs - 1) / kBlockBeliefs, threads, [&](std::size_t block) {
    const std::size_t end = std::min(units.size(), (block + 1) * kBlockBeliefs);
    for (std::size_t row = block * kBlockBeliefs; row < end; ++row) {
      if (!times.empty() && !std::isfinite(times[row])) {
        throw Error(ErrorCode::kInput,
                    fmt::format("{}: row {}: the time is missing; give every row a time, or leave "
                                "out --time",
                                table, first_row + row + 1));
      }
      try {
        find(row);
      } catch (const Error& error) {
        throw Error(error.code(),
                    fmt::format("{}: row {}: {}", table, first_row + row + 1, error.what()));
      }
    }
  });
}

std::size_t BeliefsOfRows::num_known() const {
  return std::ranges::count_if(of_rows_, [](const UnitBelief* unit) { return unit != nullptr; });
}

}  // namespace otss
