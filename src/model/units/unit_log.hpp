// This header reads the history of units: each row becomes a direction and an offset
// (unit_moments.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/units/unit_model.hpp"
#include "model/units/unit_moments.hpp"
#include "otss/model/unit_states.hpp"

namespace otss::internal {

// Rows of units. The numbers of a row are stored together, because the rows of a unit are scattered
// over a history: reading a row then costs one or two cache misses.
class RowStore {
 public:
  explicit RowStore(int rank = 0) : rank_(rank), width_(kDirection + rank) {}

  int rank() const { return rank_; }
  std::size_t size() const { return values_.size() / width_; }
  double& offset(std::size_t row) { return values_[row * width_]; }
  double& outcome(std::size_t row) { return values_[row * width_ + 1]; }
  double& weight(std::size_t row) { return values_[row * width_ + 2]; }
  double& time(std::size_t row) { return values_[row * width_ + 3]; }  // 0 if rows have no times
  // The site of the row in the posterior of its unit; 0 if no posterior has been computed.
  void set_site(std::size_t row, Site site) {
    values_[row * width_ + 4] = site.precision;
    values_[row * width_ + 5] = site.information;
  }
  std::span<double> direction(std::size_t row) {
    return std::span(values_).subspan(row * width_ + kDirection, rank_);
  }
  double offset(std::size_t row) const { return values_[row * width_]; }
  double outcome(std::size_t row) const { return values_[row * width_ + 1]; }
  double weight(std::size_t row) const { return values_[row * width_ + 2]; }
  double time(std::size_t row) const { return values_[row * width_ + 3]; }
  Site site(std::size_t row) const {
    return {values_[row * width_ + 4], values_[row * width_ + 5]};
  }
  std::span<const double> direction(std::size_t row) const {
    return std::span(values_).subspan(row * width_ + kDirection, rank_);
  }

  // Fetches a row into the processor's cache, without waiting for it.
  void prefetch(std::size_t row) const {
    constexpr std::size_t kDoublesOfCacheLine = 8;
    const double* const begin = values_.data() + row * width_;
    for (std::size_t i = 0; i < width_; i += kDoublesOfCacheLine) __builtin_prefetch(begin + i);
  }

  void resize(std::size_t rows) { values_.resize(rows * width_); }
  // Copies a row of another store to row `to` of this store.
  void copy_row(const RowStore& from, std::size_t row, std::size_t to) {
    std::copy_n(from.values_.begin() + row * width_, width_, values_.begin() + to * width_);
  }
  bool operator==(const RowStore&) const = default;

 private:
  static constexpr std::size_t kDirection = 6;  // the position of the direction in a row

  int rank_;
  std::size_t width_;
  std::vector<double> values_;
};

// Consecutive rows of a history.
struct HistoryChunk {
  std::size_t first_row = 0;  // the row number of the first row, counted from 0
  // The name of each row's unit, which points into `texts`, and its hash.
  std::vector<std::string_view> units;
  std::vector<std::uint64_t> hashes;
  RowStore rows;
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
