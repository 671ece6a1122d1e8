#include "decide/packed_decisions.hpp"

#include <cassert>
#include <limits>

namespace otss::internal {

PackedDecisions::PackedDecisions(std::span<const double> factors, std::size_t num_factors,
                                 std::span<const std::size_t> rows)
    : size_(rows.size()),
      num_factors_(num_factors),
      lines_(lines_for(rows.size()) * (1 + num_factors_)) {
  assert(size_ >= 1);
  for (std::size_t i = 0; i < padded_size(); ++i) {
    CacheLine* unit = lines_.data() + i / kDoublesPerLine * (1 + num_factors_);
    const std::size_t lane = i % kDoublesPerLine;
    if (i >= size_) {
      unit[0].lanes[lane] = -std::numeric_limits<double>::infinity();
      continue;
    }
    const auto own = factors.subspan(rows[i] * num_factors_, num_factors_);
    for (std::size_t j = 0; j < num_factors_; ++j) unit[1 + j].lanes[lane] = own[j];
  }
}

}  // namespace otss::internal
