// UnitCells reads the unit and the time of each row of a user's table, and finds what is known about
// these units.
#pragma once

#include <optional>
#include <vector>

#include "otss/data/table.hpp"
#include "otss/model/unit_states.hpp"

namespace otss::internal {

class UnitCells {
 public:
  // Appends the columns that are needed to `requests`. Nothing is needed if `columns` has no states.
  UnitCells(const UnitColumns& columns, const TableReader& reader,
            std::vector<ColumnRequest>& requests)
      : states_(columns.states), table_(reader.name()) {
    if (states_ == nullptr) return;
    unit_ = requests.size();
    requests.push_back({reader.column(columns.unit, "--unit").name, true});
    if (columns.time.empty()) return;
    time_ = requests.size();
    requests.push_back({reader.column(columns.time, "--time").name});
  }

  // Returns what is known about the units of a chunk of the requested columns.
  BeliefsOfRows read(const TableChunk& chunk, int threads) const {
    if (states_ == nullptr) return {};
    const auto times = time_ ? chunk.columns[*time_].numbers : std::span<const double>();
    return {*states_, chunk.columns[unit_].texts, times, table_, chunk.first_row, threads};
  }

 private:
  const UnitStates* states_;
  std::string table_;
  std::size_t unit_ = 0;  // the position of the unit among the requests
  std::optional<std::size_t> time_;
};

}  // namespace otss::internal
