// The order of rows by their predictions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "otss/base/error.hpp"

namespace otss::internal {

// Returns the numbers of the rows in the order of eta. A number has 4 bytes, because tables with
// millions of rows are evaluated in bounded memory.
inline std::vector<std::uint32_t> rows_by_eta(std::span<const double> eta) {
  if (eta.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorCode::kInput,
                "predictions of more than 4 294 967 295 rows cannot be compared; evaluate a sample "
                "of the rows");
  std::vector<std::uint32_t> order(eta.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t row) { return eta[row]; });
  return order;
}

}  // namespace otss::internal
