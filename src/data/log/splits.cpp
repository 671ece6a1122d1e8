#include "otss/data/splits.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// The random streams of this file. Folds and held-out rows use different streams, so that both are
// independent of each other even if they are drawn with the same seed.
enum Stream : std::uint64_t { kFolds = 0x466F6C64, kValidation = 0x56616C69 };

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed, Stream stream) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng(seed, stream);
  rng.shuffle(std::span(order));
  return order;
}

std::vector<std::size_t> group_sizes(const LoggedData& log) {
  std::vector<std::size_t> sizes(log.num_groups(), 0);
  for (const std::uint32_t group : log.groups()) ++sizes[group];
  return sizes;
}

// Returns the value of each row's group. `by_group` has one value per group.
template <class T>
std::vector<std::uint8_t> spread(const LoggedData& log, const std::vector<T>& by_group) {
  std::vector<std::uint8_t> rows(log.num_rows());
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<std::uint8_t>(by_group[log.groups()[i]]);
  return rows;
}

std::vector<std::uint8_t> folds_of_groups(const LoggedData& log, int num_folds,
                                          std::uint64_t seed) {
  const auto sizes = group_sizes(log);
  auto order = shuffled(sizes.size(), seed, kFolds);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });
  std::vector<std::size_t> rows_in_fold(static_cast<std::size_t>(num_folds), 0);
  std::vector<std::uint8_t> fold_of_group(sizes.size());
  for (const std::size_t group : order) {
    const auto smallest = std::min_element(rows_in_fold.begin(), rows_in_fold.end());
    fold_of_group[group] = static_cast<std::uint8_t>(smallest - rows_in_fold.begin());
    *smallest += sizes[group];
  }
  return spread(log, fold_of_group);
}

std::vector<std::uint8_t> random_rows(const LoggedData& log, std::size_t count,
                                      std::uint64_t seed) {
  const auto order = shuffled(log.num_rows(), seed, kValidation);
  std::vector<std::uint8_t> chosen(log.num_rows(), 0);
  for (std::size_t i = 0; i < count; ++i) chosen[order[i]] = 1;
  return chosen;
}

constexpr std::uint64_t kSign = 1ULL << 63U;
constexpr int kDigitBits = 16;
constexpr std::uint64_t kDigit = (1ULL << kDigitBits) - 1;

// Returns a whole number that is in the same order as the value.
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

double value_of(std::uint64_t key) {
  return std::bit_cast<double>((key & kSign) != 0 ? key & ~kSign : ~key);
}

// Returns the value that `num_larger` other values precede when they are sorted from the largest to the
// smallest. There must be more values than that, and none may be NaN. Reads the values four times, and
// needs no copy of them.
double largest_but(std::size_t num_larger, std::span<const double> values) {
  // One digit of the key is found after the other, from the highest on, by counting the values whose
  // higher digits are right.
  std::uint64_t found = 0, known = 0;  // the digits so far, and the bits that they have
  for (int shift = 64 - kDigitBits; shift >= 0; shift -= kDigitBits) {
    std::vector<std::size_t> counts(kDigit + 1, 0);
    for (const double value : values) {
      const std::uint64_t key = key_of(value);
      if ((key & known) == found) ++counts[(key >> shift) & kDigit];
    }
    std::uint64_t digit = kDigit;
    for (; counts[digit] <= num_larger; --digit) num_larger -= counts[digit];
    found |= digit << shift;
    known |= kDigit << shift;
  }
  return value_of(found);
}

std::vector<std::uint8_t> latest_rows(const LoggedData& log, std::size_t count) {
  double cutoff = largest_but(count - 1, log.times());
  const double earliest = std::ranges::min(log.times());
  if (cutoff == earliest) {  // the earliest rows must stay for training
    cutoff = std::numeric_limits<double>::infinity();
    for (const double time : log.times()) {
      if (time > earliest) cutoff = std::min(cutoff, time);
    }
    if (std::ranges::max(log.times()) == earliest) {
      throw Error(
          ErrorCode::kInput,
          fmt::format("time '{}' is the same in every row; leave out --time", log.roles().time));
    }
  }
  std::vector<std::uint8_t> chosen(log.num_rows());
  std::transform(log.times().begin(), log.times().end(), chosen.begin(),
                 [&](double t) { return t >= cutoff; });
  return chosen;
}

// Returns the groups in the order in which they are held out. In a log without times the order is
// random. In a log with times, the group whose last row is latest comes first.
std::vector<std::size_t> group_order(const LoggedData& log, std::uint64_t seed) {
  auto order = shuffled(log.num_groups(), seed, kValidation);
  if (log.times().empty()) return order;
  std::vector<double> latest(log.num_groups(), -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < log.num_rows(); ++i) {
    double& time = latest[log.groups()[i]];
    time = std::max(time, log.times()[i]);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return latest[a] > latest[b]; });
  return order;
}

std::vector<std::uint8_t> whole_groups(const LoggedData& log, std::size_t count,
                                       std::uint64_t seed) {
  if (log.num_groups() < 2) {
    throw Error(
        ErrorCode::kInput,
        fmt::format("group '{}' is the same in every row, so no rows can be held out; leave "
                    "out --group",
                    log.roles().group));
  }
  const auto sizes = group_sizes(log);
  const auto order = group_order(log, seed);
  std::vector<std::uint8_t> chosen(log.num_groups(), 0);
  std::size_t taken = 0;
  for (std::size_t i = 0; i + 1 < order.size() && taken < count; ++i) {
    chosen[order[i]] = 1;
    taken += sizes[order[i]];
  }
  return spread(log, chosen);
}

std::string fold_advice(std::size_t units) {
  if (units < 2) return "a fit needs at least 2 of them";
  if (units == 2) return "use 2 folds";
  return fmt::format("use 2 to {} folds", std::min<std::size_t>(units, 255));
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::vector<std::uint8_t> assign_folds(const LoggedData& log, int num_folds, std::uint64_t seed) {
  const std::size_t units = log.groups().empty() ? log.num_rows() : log.num_groups();
  if (num_folds < 2 || num_folds > 255 || static_cast<std::size_t>(num_folds) > units) {
    throw Error(ErrorCode::kUsage, fmt::format("--folds {} cannot split {} {}{}; {}", num_folds,
                                               units, log.groups().empty() ? "row" : "group",
                                               units == 1 ? "" : "s", fold_advice(units)));
  }
  if (!log.groups().empty()) return folds_of_groups(log, num_folds, seed);
  const auto order = shuffled(log.num_rows(), seed, kFolds);
  std::vector<std::uint8_t> folds(log.num_rows());
  for (std::size_t i = 0; i < order.size(); ++i) {
    folds[order[i]] = static_cast<std::uint8_t>(i % static_cast<std::size_t>(num_folds));
  }
  return folds;
}

std::size_t validation_count(std::size_t num_rows, double fraction) {
  const auto share = static_cast<std::size_t>(std::floor(fraction * static_cast<double>(num_rows)));
  return std::max(share, std::min<std::size_t>(100, num_rows / 2));
}

std::vector<std::uint8_t> validation_rows(const LoggedData& log, double fraction,
                                          std::uint64_t seed) {
  if (!(fraction > 0 && fraction < 1)) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("--validation {} is not a share of the rows; use a number between 0 and 1",
                    fraction));
  }
  const std::size_t count = validation_count(log.num_rows(), fraction);
  if (count == 0) {
    throw Error(ErrorCode::kInput,
                "the log has only one row, so no row can be held out; give at least two rows");
  }
  if (!log.groups().empty()) return whole_groups(log, count, seed);
  if (!log.times().empty()) return latest_rows(log, count);
  return random_rows(log, count, seed);
}

}  // namespace otss
