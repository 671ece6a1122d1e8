// This header stores rows of units as numbers (unit_moments.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "model/units/large_array.hpp"
#include "model/units/unit_moments.hpp"

namespace otss::internal {

// The numbers of one row. They are stored together, because the rows of a unit are scattered over a
// history: reading a row then costs two or three cache misses. `Number` is double, or const double.
template <class Number>
class RowNumbers {
 public:
  RowNumbers(Number* numbers, std::size_t rank) : numbers_(numbers), rank_(rank) {}
  // Returns how many numbers a row has.
  static std::size_t width(std::size_t rank) { return kDirection + rank; }

  Number& offset() const { return numbers_[0]; }
  Number& outcome() const { return numbers_[1]; }
  Number& weight() const { return numbers_[2]; }
  Number& time() const { return numbers_[3]; }  // 0 if rows have no times
  std::span<Number> direction() const { return {numbers_ + kDirection, rank_}; }

  // Copies another row of the same rank to this row.
  void assign(RowNumbers<const double> row) const {
    std::copy_n(&row.offset(), width(rank_), numbers_);
  }

 private:
  static constexpr std::size_t kDirection = 4;  // the position of the direction

  Number* numbers_;
  std::size_t rank_;
};

using StoredRow = RowNumbers<const double>;
using NewRow = RowNumbers<double>;

// Rows with their sites.
class RowStore {
 public:
  explicit RowStore(std::size_t rank = 0) : rank_(rank), width_(StoredRow::width(rank)) {}
  bool operator==(const RowStore&) const = default;

  std::size_t size() const { return sites_.size(); }
  StoredRow operator[](std::size_t row) const { return {numbers_.data() + row * width_, rank_}; }
  NewRow operator[](std::size_t row) { return {numbers_.data() + row * width_, rank_}; }
  // The site of a row in the posterior of its unit; 0 if no posterior has been computed.
  Site& site(std::size_t row) { return sites_[row]; }
  const Site& site(std::size_t row) const { return sites_[row]; }

  // The numbers of new rows are uninitialised.
  void resize(std::size_t rows) {
    numbers_.resize(rows * width_);
    sites_.resize(rows);
  }

 private:
  std::size_t rank_, width_;
  LargeArray<double> numbers_;
  std::vector<Site> sites_;
};

// Rows that were read together. A copy refers to the same rows.
class RowBlock {
 public:
  RowBlock(std::shared_ptr<double[]> numbers, std::size_t size, std::size_t rank)
      : numbers_(std::move(numbers)), size_(size), rank_(rank) {}

  std::size_t size() const { return size_; }
  NewRow operator[](std::size_t row) const { return {numbers(row), rank_}; }
  double* numbers(std::size_t row) const { return numbers_.get() + row * NewRow::width(rank_); }

 private:
  std::shared_ptr<double[]> numbers_;
  std::size_t size_, rank_;
};

// The memory of many RowBlocks, in large pieces. Several threads can use an object at once.
class RowMemory {
 public:
  explicit RowMemory(std::size_t rank) : rank_(rank) {}

  // Returns memory for rows. A piece is freed when none of its blocks exists any more.
  RowBlock take(std::size_t rows) {
    const std::size_t count = rows * NewRow::width(rank_);
    const std::lock_guard lock(mutex_);
    if (!piece_ || piece_->size() - used_ < count) {
      // The first piece is small, for small tables.
      const std::size_t doubled = piece_ ? 2 * piece_->size() : 0;
      piece_ = std::make_shared<LargeArray<double>>(std::max(count, std::min(doubled, kLargest)));
      used_ = 0;
    }
    double* const begin = piece_->data() + used_;
    used_ += count;
    return {std::shared_ptr<double[]>(piece_, begin), rows, rank_};
  }

 private:
  static constexpr std::size_t kLargest = std::size_t{2} << 20U;  // 16 MB

  std::size_t rank_;
  std::mutex mutex_;  // protects the members below
  std::shared_ptr<LargeArray<double>> piece_;
  std::size_t used_ = 0;  // the numbers of the piece that blocks have
};

}  // namespace otss::internal
