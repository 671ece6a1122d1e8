#include "engine/row_offsets.hpp"

namespace otss::internal {

RowOffsets::RowOffsets(std::span<const double> offsets) {
  if (offsets.empty()) return;
  std::vector<Tile> tiles((offsets.size() + kTileRows - 1) / kTileRows);
  for (std::size_t row = 0; row < offsets.size(); ++row)
    tiles[row / kTileRows].rows[row % kTileRows] = static_cast<float>(offsets[row]);
  tiles_ = std::make_shared<const std::vector<Tile>>(std::move(tiles));
}

RowOffsets RowOffsets::of(std::span<const std::size_t> rows) const {
  if (empty()) return {};
  std::vector<double> chosen;
  chosen.reserve(rows.size());
  for (const std::size_t row : rows) chosen.push_back((*this)[row]);
  return RowOffsets(chosen);
}

}  // namespace otss::internal
