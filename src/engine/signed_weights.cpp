#include "engine/signed_weights.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/row_blocks.hpp"

namespace otss::internal {

SignedWeights::SignedWeights(std::span<const float> outcomes, std::span<const float> weights)
    : num_rows_(outcomes.size()), tiles_((outcomes.size() + kTileRows - 1) / kTileRows) {
  assert(weights.empty() || weights.size() == outcomes.size());
  for_row_blocks(num_rows_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const float weight = weights.empty() ? 1.0F : weights[row];
      assert(weight >= 0 && (outcomes[row] == 0 || outcomes[row] == 1));
      // Weight 0 is stored as +0, never -0: the sign bit of a row of weight 0 has no meaning.
      const float signed_weight = outcomes[row] == 1 ? weight : -weight;
      tiles_[row / kTileRows].rows[row % kTileRows] = weight == 0 ? 0.0F : signed_weight;
    }
  });
  summarise();
}

SignedWeights SignedWeights::restricted_to(const std::function<bool(std::size_t)>& keep) const {
  SignedWeights kept = *this;
  for_row_blocks(num_rows_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      if (!keep(row)) kept.tiles_[row / kTileRows].rows[row % kTileRows] = 0;
    }
  });
  kept.summarise();
  return kept;
}

bool SignedWeights::tile_is_empty(std::size_t index) const {
  return std::ranges::all_of(tiles_[index].rows, [](float value) { return value == 0; });
}

void SignedWeights::summarise() {
  total_ = 0;
  unit_ = true;
  for (const Tile& tile : tiles_) {
    for (const float value : tile.rows) {
      const float weight = std::abs(value);
      total_ += weight;
      unit_ = unit_ && (weight == 0 || weight == 1);
    }
  }
}

}  // namespace otss::internal
