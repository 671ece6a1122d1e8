// Defines bundles of products, and chooses a library among them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "otss/data/table.hpp"

namespace otss::internal {

// The number of static factors: afford, deal, private_label, health, convenience, kid.
inline constexpr std::size_t kStaticFactors = 6;

struct Bundle {
  std::string name;  // the names of the bundle's items, joined by '+'
  std::vector<std::string> items, roles;
  double log_price = 0;  // mean of log(price) over the bundle's products
  double private_label = 0;
  std::array<double, kStaticFactors> factors{};
};

std::vector<Bundle> read_bundles(const Table& table);

// Returns the first `count` bundles in farthest-point order. The first bundle is the one nearest
// the mean of all bundles, and each next bundle has the largest distance to the bundles already
// chosen. Distances are between standardised static factors. With this order, the library covers
// the whole range of factors for any `count`.
std::vector<Bundle> spread_bundles(const std::vector<Bundle>& bundles, std::size_t count);

// Returns `count` bundles that are drawn at random. Another `number` gives other bundles.
std::vector<Bundle> sampled_bundles(std::vector<Bundle> bundles, std::size_t count,
                                    std::uint64_t number);

}  // namespace otss::internal
