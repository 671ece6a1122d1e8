#include "learn/units/unit_index.hpp"

#include <algorithm>

namespace otss::internal {

UnitIndex::UnitIndex(std::span<const std::uint32_t> units) : rows_(units.size()) {
  const std::size_t count = units.empty() ? 0 : 1 + std::size_t{*std::ranges::max_element(units)};
  begins_.assign(count + 1, 0);
  for (const std::uint32_t unit : units) ++begins_[unit + 1];
  for (std::size_t unit = 0; unit < count; ++unit) begins_[unit + 1] += begins_[unit];
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (std::size_t row = 0; row < units.size(); ++row) rows_[next[units[row]]++] = row;
}

}  // namespace otss::internal
