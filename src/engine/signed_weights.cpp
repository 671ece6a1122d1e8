#include "engine/signed_weights.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "base/row_blocks.hpp"

namespace otss::internal {

SignedWeights::SignedWeights(std::size_t num_rows, std::vector<Tile> tiles)
    : num_rows_(num_rows), tiles_(std::make_shared<const std::vector<Tile>>(std::move(tiles))) {
  for (const Tile& tile : *tiles_) {
    for (const float value : tile.rows) {
      const float weight = std::abs(value);
      total_ += weight;
      unit_ = unit_ && (weight == 0 || weight == 1);
    }
  }
}

SignedWeights::SignedWeights(std::span<const float> outcomes, std::span<const float> weights) {
  assert(weights.empty() || weights.size() == outcomes.size());
  std::vector<Tile> tiles((outcomes.size() + kTileRows - 1) / kTileRows);
  for_row_blocks(outcomes.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const float weight = weights.empty() ? 1.0F : weights[row];
      assert(weight >= 0 && (outcomes[row] == 0 || outcomes[row] == 1));
      // Weight 0 is stored as +0, never -0: the sign bit of a row of weight 0 has no meaning.
      const float signed_weight = outcomes[row] == 1 ? weight : -weight;
      tiles[row / kTileRows].rows[row % kTileRows] = weight == 0 ? 0.0F : signed_weight;
    }
  });
  *this = SignedWeights(outcomes.size(), std::move(tiles));
}

SignedWeights SignedWeights::restricted_to(const std::function<bool(std::size_t)>& keep) const {
  std::vector<Tile> kept = *tiles_;
  for_row_blocks(num_rows_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      if (!keep(row)) kept[row / kTileRows].rows[row % kTileRows] = 0;
    }
  });
  return SignedWeights(num_rows_, std::move(kept));
}

bool SignedWeights::tile_is_empty(std::size_t index) const {
  return std::ranges::all_of((*tiles_)[index].rows, [](float value) { return value == 0; });
}

}  // namespace otss::internal
