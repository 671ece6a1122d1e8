// Which rows count, how much, and with which outcome: one float per row.
//
//   +w  the outcome was 1        -w  the outcome was 0        0  the row is left out
//
// A fold, a subsample or a validation set is another SignedWeights over the same tiles, never a
// copy of the features.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "data/log/tile_matrix.hpp"

namespace otss {

class SignedWeights {
 public:
  // `outcomes` are 0 or 1; `weights` are not negative, and empty means all one.
  explicit SignedWeights(std::span<const float> outcomes, std::span<const float> weights = {});

  // The same rows, with those for which `keep(row)` is false left out.
  SignedWeights restricted_to(const std::function<bool(std::size_t row)>& keep) const;

  std::size_t num_rows() const { return num_rows_; }
  std::size_t num_tiles() const { return tiles_.size(); }
  float operator[](std::size_t row) const { return tiles_[row / kTileRows].rows[row % kTileRows]; }

  // kTileRows values, 64-byte aligned; those past the last row are 0.
  const float* tile(std::size_t index) const { return tiles_[index].rows.data(); }
  bool tile_is_empty(std::size_t index) const;

  double total() const { return total_; }  // sum of w over the rows that count
  bool unit() const { return unit_; }      // every row that counts has w = 1

 private:
  struct alignas(64) Tile {
    std::array<float, kTileRows> rows{};
  };

  void summarise();

  std::size_t num_rows_ = 0;
  std::vector<Tile> tiles_;
  double total_ = 0;
  bool unit_ = true;
};

}  // namespace otss
