// The bundles of the library, and which of them to take.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "otss/data/table.hpp"

namespace otss {

inline constexpr std::size_t kStaticFactors = 6;  // afford, deal, private_label, health,
                                                  // convenience, kid

struct Bundle {
  std::string name;  // its items joined by '+'
  std::vector<std::string> items, roles;
  double log_price = 0;  // mean over its products
  double private_label = 0;
  std::array<double, kStaticFactors> factors{};
};

std::vector<Bundle> read_bundles(const Table& table);

// The first `count` bundles of the farthest-point order: first the one nearest the centre, then
// always the one farthest from all taken, by standardised static factors. Any first few are spread
// over the whole.
std::vector<Bundle> spread_bundles(const std::vector<Bundle>& bundles, std::size_t count);

}  // namespace otss
