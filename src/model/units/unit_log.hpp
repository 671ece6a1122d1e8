// This header reads the history of units: each row becomes a direction and an offset
// (unit_posterior.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/units/unit_model.hpp"
#include "model/units/unit_posterior.hpp"
#include "otss/model/unit_states.hpp"

namespace otss::internal {

// Rows of units, stored column by column.
struct RowStore {
  int rank = 0;
  std::vector<double> directions;  // rank numbers per row
  std::vector<double> offsets, outcomes, weights;
  std::vector<double> times;  // empty if rows have no times

  std::size_t size() const { return offsets.size(); }
  std::span<const double> direction(std::size_t row) const {
    return std::span(directions).subspan(row * rank, rank);
  }
  void resize(std::size_t rows, bool timed);
  // Copies a row of another store to row `to` of this store.
  void copy_row(const RowStore& from, std::size_t row, std::size_t to);
};

// Consecutive rows of a history. They are valid until the callback returns.
struct HistoryChunk {
  std::size_t first_row = 0;                // the row number of the first row, counted from 0
  std::span<const std::string_view> units;  // the unit of each row
  const RowStore& rows;
};

// Says whether a unit's name may be missing.
enum class MissingUnits { kRefuse, kAllow };

// Reads a history chunk by chunk. `reader` must have been made for as_trained(source). If a value
// cannot be used, throws an Error that names the table, the row and the column. Of the options,
// half_life and keep_rows are not used.
void read_history(const UnitModel& model, const TableReader& reader, const UpdateOptions& options,
                  MissingUnits missing, const std::function<void(const HistoryChunk&)>& consume);

}  // namespace otss::internal
