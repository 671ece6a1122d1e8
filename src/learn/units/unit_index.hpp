// Lists the rows of each unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace otss::internal {

class UnitIndex {
 public:
  // `units` has the number of each row's unit.
  explicit UnitIndex(std::span<const std::uint32_t> units);

  std::size_t size() const { return begins_.size() - 1; }  // returns the number of units
  std::size_t num_rows() const { return rows_.size(); }
  // Returns the rows of a unit, the smallest first.
  std::span<const std::size_t> rows(std::size_t unit) const {
    return std::span(rows_).subspan(begins_[unit], begins_[unit + 1] - begins_[unit]);
  }

 private:
  std::vector<std::size_t> begins_;  // the position in rows_ at which each unit begins
  std::vector<std::size_t> rows_;
};

}  // namespace otss::internal
