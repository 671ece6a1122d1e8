#include "learn/units/unit_folds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"

namespace otss::internal {
namespace {

// The random streams of this file. Each unit has a stream of its own for its folds.
constexpr std::uint64_t kSampleStream = 0x556E6974;
constexpr std::uint64_t kFoldStream = 0x466F6C6400000000;

void hold_out_latest(std::span<const std::size_t> rows, std::span<const double> times,
                     Folds& folds) {
  std::vector<std::size_t> order(rows.begin(), rows.end());
  std::ranges::stable_sort(order, [&](auto a, auto b) { return times[a] > times[b]; });
  const auto count = static_cast<std::size_t>(
      std::ceil(defaults::kHeldOutShare * static_cast<double>(order.size())));
  for (std::size_t i = 0; i < count; ++i) folds.of_row[order[i]] = 0;
}

}  // namespace

Folds folds_within_units(const UnitIndex& index, std::span<const double> times, int num_folds,
                         std::uint64_t seed) {
  Folds folds{times.empty() ? num_folds : 1,
              std::vector<std::uint8_t>(index.num_rows(), Folds::kNeverHeldOut)};
  for (std::size_t unit = 0; unit < index.size(); ++unit) {
    const auto rows = index.rows(unit);
    if (rows.size() < 2) continue;
    if (!times.empty()) {
      hold_out_latest(rows, times, folds);
      continue;
    }
    std::vector<std::size_t> order(rows.begin(), rows.end());
    Rng rng(seed, kFoldStream + unit);
    rng.shuffle(std::span(order));
    const std::size_t first = rng.below(num_folds);
    for (std::size_t i = 0; i < order.size(); ++i)
      folds.of_row[order[i]] = static_cast<std::uint8_t>((first + i) % num_folds);
  }
  return folds;
}

std::vector<std::size_t> rows_of_some_units(const UnitIndex& index, std::size_t most_rows,
                                            std::uint64_t seed) {
  std::vector<std::size_t> units(index.size());
  std::iota(units.begin(), units.end(), std::size_t{0});
  if (index.num_rows() > most_rows) {
    Rng rng(seed, kSampleStream);
    rng.shuffle(std::span(units));
  }
  std::vector<std::size_t> chosen;
  for (const std::size_t unit : units) {
    if (chosen.size() >= most_rows) break;
    const auto rows = index.rows(unit);
    chosen.insert(chosen.end(), rows.begin(), rows.end());
  }
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace otss::internal
