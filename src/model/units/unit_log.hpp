// This header reads the history of units: each row becomes a direction and an offset
// (unit_moments.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "model/units/row_store.hpp"
#include "model/units/unit_model.hpp"
#include "otss/model/unit_states.hpp"

namespace otss::internal {

// Consecutive rows of a history.
struct HistoryChunk {
  std::size_t first_row = 0;  // the row number of the first row, counted from 0
  // The name of each row's unit, which points into `texts`, and its hash.
  std::vector<std::string_view> units;
  std::vector<std::uint64_t> hashes;
  RowBlock rows;
  std::vector<char> texts = {};
};

// Says whether a unit's name may be missing.
enum class MissingUnits { kRefuse, kAllow };

// Reads a history chunk by chunk, on the threads of the reader; `consume` gets one chunk at a time,
// in row order, and may move it. `reader` must have been made for as_trained(source). If a value
// cannot be used, throws an Error that names the table, the row and the column. Of the options,
// half_life, keep_rows and threads are not used.
void read_history(const UnitModel& model, const TableReader& reader, const UpdateOptions& options,
                  MissingUnits missing, const std::function<void(HistoryChunk&)>& consume);

}  // namespace otss::internal
