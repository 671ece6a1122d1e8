// Stores a number per row that is added to the row's linear predictor: eta + offset. An engine adds
// the offsets; they are not parameters. Fits with units use them (learn/units).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "data/log/tile_matrix.hpp"

namespace otss::internal {

class RowOffsets {
 public:
  RowOffsets() = default;  // every offset is 0
  explicit RowOffsets(std::span<const double> offsets);

  bool empty() const { return tiles_ == nullptr; }
  float operator[](std::size_t row) const {
    return empty() ? 0.0F : (*tiles_)[row / kTileRows].rows[row % kTileRows];
  }
  // Returns the first tile, 64-byte aligned, or null if every offset is 0. Values beyond the last
  // row are 0.
  const float* tiles() const { return empty() ? nullptr : tiles_->front().rows.data(); }

  // Returns the offsets of the given rows, in the order of `rows`.
  RowOffsets of(std::span<const std::size_t> rows) const;

 private:
  struct alignas(64) Tile {
    std::array<float, kTileRows> rows{};
  };
  std::shared_ptr<const std::vector<Tile>> tiles_;  // shared by all folds of a log
};

}  // namespace otss::internal
