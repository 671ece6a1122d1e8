// A History has the rows of a log of units, and lists the rows of each unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/log/text_codes.hpp"
#include "model/units/large_array.hpp"
#include "model/units/row_store.hpp"
#include "model/units/unit_log.hpp"
#include "model/units/unit_model.hpp"

namespace otss::internal {

class History {
 public:
  // Reads the log on options.threads threads. Units that `names` does not have are added to it.
  History(const UnitModel& model, const TableSource& source, const UpdateOptions& options,
          TextCodes& names);

  const std::string& table() const { return table_; }  // the name of the table in messages

  // A row of the table.
  struct Place {
    std::size_t number;  // counted from 0
    std::uint32_t unit;
    StoredRow row;
  };
  // Calls visit(place) for all rows in the order of the table.
  template <class Visit>
  void for_each_row(Visit visit) const {
    std::size_t number = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (std::size_t i = 0; i < blocks_[b].size(); ++i)
        visit(Place{number++, units_[b][i], row(blocks_[b].numbers(i))});
    }
  }

  std::size_t num_rows_of(std::size_t unit) const { return first_[unit + 1] - first_[unit]; }
  // The rows of a unit, as pointers for row(). They are in the order of the table, unless the caller
  // has sorted them.
  std::span<const double*> rows_of(std::size_t unit) {
    return std::span(by_unit_).subspan(first_[unit], num_rows_of(unit));
  }
  StoredRow row(const double* numbers) const { return {numbers, rank_}; }

  // Fetches the rows of a unit into the processor's cache, without waiting for them.
  void prefetch(std::size_t unit) const;

 private:
  struct UnitRange {
    std::size_t begin, end;
    bool has(std::uint32_t unit) const { return unit - begin < end - begin; }
  };
  void list_rows(std::size_t num_units, int threads);
  void count_rows(UnitRange range);
  void place_rows(UnitRange range, std::span<std::size_t> next);

  std::string table_;
  std::size_t rank_;
  std::vector<RowBlock> blocks_;                   // the rows stay where they were read
  std::vector<std::vector<std::uint32_t>> units_;  // the unit of each row of each block
  // The rows of unit i are by_unit_[first_[i]] to by_unit_[first_[i + 1] - 1].
  LargeArray<std::size_t> first_;
  LargeArray<const double*> by_unit_;
};

}  // namespace otss::internal
