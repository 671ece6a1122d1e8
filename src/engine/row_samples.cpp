#include "engine/row_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "otss/data/splits.hpp"

namespace otss::internal {
namespace {

// The random stream of the samples differs from those of folds and held-out rows.
constexpr std::uint64_t kSampleStream = 0x53616D70;

constexpr std::size_t kBlockRows = 65'536;  // that a thread looks at

// Returns the place of a unit, which is the same wherever the unit's rows are.
double place_of(std::uint64_t seed, std::uint64_t key) {
  return Rng(seed ^ kSampleStream, key).uniform();
}

// A place between 0 and 1 for each unit. A unit is a group, or a row if there are no groups. The
// first sample has the units with the smallest places, the second those with the largest.
class Places {
 public:
  Places(const LoggedData& log, std::uint64_t seed) : log_(log), seed_(seed) {
    for (const std::uint64_t hash : log.group_hashes()) of_group_.push_back(place(hash));
  }
  double of_row(std::size_t row) const {
    return of_group_.empty() ? place(row) : of_group_[log_.groups()[row]];
  }

 private:
  double place(std::uint64_t key) const { return place_of(seed_, key); }

  const LoggedData& log_;
  std::uint64_t seed_;
  std::vector<double> of_group_;
};

bool counts(const LoggedData& log, std::size_t row) {
  return log.weights().empty() || log.weights()[row] > 0;
}

// The units that a sample can be drawn from.
struct Units {
  const std::vector<std::uint8_t>& late;  // empty if the log has no times
  bool use_late;

  bool has(std::size_t row) const { return late.empty() || (late[row] != 0) == use_late; }
};

// Returns the limit below which (with `largest`, from which on) the places of the sample's units
// are. Returns nothing if no sample has so many rows and groups.
std::optional<double> place_limit(const LoggedData& log, const Places& places, const Units& units,
                                  const SampleOptions& options, bool largest) {
  struct Unit {
    double place = 0;
    std::size_t rows = 0;
  };
  std::vector<Unit> groups(log.num_groups());
  if (groups.empty() && units.late.empty()) {
    const double share =
        static_cast<double>(options.rows) / static_cast<double>(num_counting_rows(log));
    return largest ? 1 - share : share;
  }
  std::size_t total = 0;
  for (std::size_t i = 0; i < log.num_rows(); ++i) {
    if (!counts(log, i) || !units.has(i)) continue;
    ++total;
    if (groups.empty()) continue;
    Unit& group = groups[log.groups()[i]];
    ++group.rows;
    group.place = places.of_row(i);
  }
  if (groups.empty()) {
    const double share = static_cast<double>(options.rows) / static_cast<double>(total);
    return largest ? 1 - share : share;
  }
  std::erase_if(groups, [](const Unit& group) { return group.rows == 0; });
  std::ranges::sort(groups, {},
                    [&](const Unit& group) { return largest ? -group.place : group.place; });
  const std::size_t wanted = std::min(options.rows, total);
  std::size_t taken = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    taken += groups[g].rows;
    if (taken < wanted || g + 1 < options.fewest_groups) continue;
    return largest ? groups[g].place
                   : std::nextafter(groups[g].place, std::numeric_limits<double>::infinity());
  }
  return std::nullopt;
}

}  // namespace

SampleLimits limits_without_groups(std::size_t num_counting, const SampleOptions& options) {
  const double share = static_cast<double>(options.rows) / static_cast<double>(num_counting);
  return {share, 1 - share, options.seed};
}

RowSamples rows_within(const LoggedData& part, std::size_t first_row, const SampleLimits& limits) {
  RowSamples samples;
  for (std::size_t i = 0; i < part.num_rows(); ++i) {
    if (!counts(part, i)) continue;
    const double place = place_of(limits.seed, first_row + i);
    if (place < limits.below) {
      samples.first.push_back(first_row + i);
    } else if (place >= limits.from) {
      samples.second.push_back(first_row + i);
    }
  }
  return samples;
}

std::size_t num_counting_rows(const LoggedData& log) {
  if (log.weights().empty()) return log.num_rows();
  return std::ranges::count_if(log.weights(), [](float weight) { return weight > 0; });
}

std::optional<RowSamples> draw_samples(const LoggedData& log, const SampleOptions& options) {
  const Places places(log, options.seed);
  std::vector<std::uint8_t> late;
  if (!log.times().empty()) late = validation_rows(log, options.late_share, options.seed);
  const Units early_units{late, false};
  const Units late_units{late, true};
  const auto below = place_limit(log, places, early_units, options, false);
  const auto from = place_limit(log, places, late_units, options, true);
  if (!below || !from || (late.empty() && *below > *from)) return std::nullopt;
  const std::size_t num_blocks = (log.num_rows() + kBlockRows - 1) / kBlockRows;
  std::vector<RowSamples> of_blocks(num_blocks);
  parallel_for(num_blocks, threads_of_this_loop(), [&](std::size_t block) {
    RowSamples& own = of_blocks[block];
    const std::size_t end = std::min(log.num_rows(), (block + 1) * kBlockRows);
    for (std::size_t i = block * kBlockRows; i < end; ++i) {
      if (!counts(log, i)) continue;
      const double place = places.of_row(i);
      if (early_units.has(i) && place < *below) {
        own.first.push_back(i);
      } else if (late_units.has(i) && place >= *from) {
        own.second.push_back(i);
      }
    }
  });
  RowSamples samples;
  for (const RowSamples& own : of_blocks) {
    samples.first.insert(samples.first.end(), own.first.begin(), own.first.end());
    samples.second.insert(samples.second.end(), own.second.begin(), own.second.end());
  }
  return samples;
}

}  // namespace otss::internal
