#include "engine/outcomes.hpp"

#include "data/log/tile_matrix.hpp"

namespace otss::internal {
namespace {

std::vector<float> whole_tiles(std::size_t num_rows) {
  return std::vector<float>((num_rows + kTileRows - 1) / kTileRows * kTileRows, 0.0F);
}

}  // namespace

Outcomes::Outcomes(OutputFamily family, std::span<const float> own_units, const OutcomeUnits& units)
    : family_(family), units_(units) {
  if (family == OutputFamily::kBernoulli) return;
  std::vector<float> values = whole_tiles(own_units.size());
  for (std::size_t i = 0; i < own_units.size(); ++i)
    values[i] = static_cast<float>((own_units[i] - units.center) / units.scale);
  values_ = std::make_shared<const std::vector<float>>(std::move(values));
}

Outcomes Outcomes::of(std::span<const std::size_t> rows) const {
  if (!values_) return *this;
  std::vector<float> values = whole_tiles(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) values[i] = (*values_)[rows[i]];
  Outcomes some = *this;
  some.values_ = std::make_shared<const std::vector<float>>(std::move(values));
  return some;
}

}  // namespace otss::internal
