// Stores the outcome and the sample weight w of each row in one float:
//
//   +w  the outcome is 1        -w  the outcome is 0        0  the row is ignored
//
// Each fold has a SignedWeights of its own, in which the held-out rows have weight 0. All folds use
// the same tiles of features, so no fold needs a copy of them.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "data/log/tile_matrix.hpp"

namespace otss::internal {

class SignedWeights {
 public:
  // `outcomes` are 0 or 1; `weights` are >= 0. If `weights` is empty, every weight is 1.
  explicit SignedWeights(std::span<const float> outcomes, std::span<const float> weights = {});

  // Returns a copy in which the rows with `keep(row) == false` have weight 0.
  SignedWeights restricted_to(const std::function<bool(std::size_t row)>& keep) const;

  std::size_t num_rows() const { return num_rows_; }
  std::size_t num_tiles() const { return tiles_->size(); }
  float operator[](std::size_t row) const {
    return (*tiles_)[row / kTileRows].rows[row % kTileRows];
  }

  // Returns the kTileRows values of a tile, 64-byte aligned; values beyond the last row are 0.
  const float* tile(std::size_t index) const { return (*tiles_)[index].rows.data(); }
  bool tile_is_empty(std::size_t index) const;

  double total() const { return total_; }  // sum of w
  bool unit() const { return unit_; }      // true if every w is 0 or 1

 private:
  struct alignas(64) Tile {
    std::array<float, kTileRows> rows{};
  };

  SignedWeights(std::size_t num_rows, std::vector<Tile> tiles);

  std::size_t num_rows_ = 0;
  std::shared_ptr<const std::vector<Tile>> tiles_;  // copies share the tiles
  double total_ = 0;
  bool unit_ = true;
};

}  // namespace otss::internal
