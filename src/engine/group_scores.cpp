#include "engine/group_scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/threads.hpp"
#include "data/log/disk/tile_loop.hpp"
#include "engine/mixture_row.hpp"
#include "engine/tile_predictors.hpp"
#include "model/maps/cache_line.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// The gradients of so many groups are kept in memory that their matrix has at most this many
// entries.
constexpr double kGradientEntries = 2e7;
// The groups are divided into this many parts, whatever the number of threads.
constexpr std::size_t kGroupParts = 16;
// So many tiles are used before the next ones are read.
constexpr std::size_t kTilesAtOnce = 512;

// Sums the gradients of consecutive groups. The rows come in their order, so each group's sum is made in
// the order of its rows, whatever the number of threads.
class GradientsOfGroups {
 public:
  GradientsOfGroups(const GroupedRows& rows, const MixtureLayout& layout,
                    std::span<const double> theta, Mixed mixed, std::size_t begin, std::size_t end)
      : rows_(rows),
        layout_(layout),
        theta_(theta),
        mixed_(mixed),
        begin_(begin),
        sums_(MatrixXd::Zero(static_cast<Index>(layout.size()), static_cast<Index>(end - begin))) {}

  // Adds the rows of [first, last). `slopes` has those of the rows from `first` on.
  void add(std::size_t first, std::size_t last, std::span<const double> slopes, int num_threads) {
    // Groups that follow each other are in different parts, because their rows often do too.
    std::array<std::vector<std::size_t>, kGroupParts> parts;
    const auto end = begin_ + static_cast<std::size_t>(sums_.cols());
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t group = rows_.groups[i];
      if (group >= begin_ && group < end && rows_.weights[i] != 0)
        parts[group % kGroupParts].push_back(i);
    }
    parallel_for(kGroupParts, num_threads, [&](std::size_t part) {
      MixtureRow row(layout_, theta_, mixed_);
      std::vector<double> derivative(layout_.size());
      for (const std::size_t i : parts[part]) {
        row.evaluate(rows_.features.tile(i / kTileRows) + i % kTileRows);
        row.derivative(slopes[i - first], derivative);
        sums_.col(static_cast<Index>(rows_.groups[i] - begin_)) +=
            Eigen::Map<const Eigen::VectorXd>(derivative.data(), sums_.rows());
      }
    });
  }
  const MatrixXd& sums() const { return sums_; }  // one column per group

 private:
  const GroupedRows& rows_;
  const MixtureLayout& layout_;
  std::span<const double> theta_;
  Mixed mixed_;
  std::size_t begin_;
  MatrixXd sums_;
};

}  // namespace

SlopesOfRows loss_slopes(const GroupedRows& rows, const Outcomes& outcomes,
                         const MixtureLayout& layout, std::span<const double> theta, Mixed mixed,
                         int num_threads) {
  return [=, &rows, &outcomes](std::size_t first, std::span<double> slopes) {
    const OutputFamily family = outcomes.family();
    constexpr std::size_t kTilesPerTask = 64;
    const std::size_t num_tiles = (slopes.size() + kTileRows - 1) / kTileRows;
    parallel_for((num_tiles + kTilesPerTask - 1) / kTilesPerTask, num_threads, [&](std::size_t t) {
      const std::size_t begin = t * kTilesPerTask * kTileRows;
      const std::size_t end = std::min(begin + kTilesPerTask * kTileRows, slopes.size());
      std::vector<std::uint32_t> tiles((end - begin + kTileRows - 1) / kTileRows);
      std::iota(tiles.begin(), tiles.end(),
                static_cast<std::uint32_t>((first + begin) / kTileRows));
      CacheLines eta(lines_for(tiles.size() * kTileRows));
      const std::span<double> computed(eta.front().lanes, tiles.size() * kTileRows);
      tile_predictors(rows.features, layout, theta, tiles, computed, mixed);
      for (std::size_t i = begin; i < end; ++i) {
        const float signed_weight = rows.weights[first + i];
        const double weight = std::abs(signed_weight);
        const double outcome = family == OutputFamily::kBernoulli
                                   ? signed_weight > 0
                                   : static_cast<double>(outcomes[first + i]);
        slopes[i] = weight == 0 ? 0 : weight * family.slope(computed[i - begin], outcome);
      }
    });
  };
}

MatrixXd group_outer_products(const GroupedRows& rows, const MixtureLayout& layout,
                              std::span<const double> theta, const SlopesOfRows& slopes_of,
                              int num_threads, Mixed mixed) {
  const std::size_t num_groups = 1 + *std::ranges::max_element(rows.groups);
  const auto count = static_cast<double>(num_groups);
  const double correction = count > 1 ? count / (count - 1) : 1;
  const auto most = static_cast<std::size_t>(kGradientEntries / static_cast<double>(layout.size()));
  const auto size = static_cast<Index>(layout.size());
  MatrixXd sum = MatrixXd::Zero(size, size);
  std::vector<double> slopes;
  for (std::size_t begin = 0; begin < num_groups; begin += most) {
    GradientsOfGroups gradients(rows, layout, theta, mixed, begin,
                                std::min(begin + most, num_groups));
    TileLoop loop(rows.features);
    for (std::size_t tile = 0; tile < rows.features.num_tiles(); tile += kTilesAtOnce) {
      const std::size_t end_tile = std::min(tile + kTilesAtOnce, rows.features.num_tiles());
      const std::size_t first = tile * kTileRows;
      const std::size_t last = std::min(end_tile * kTileRows, rows.features.num_rows());
      slopes.resize(last - first);
      slopes_of(first, slopes);
      gradients.add(first, last, slopes, num_threads);
      loop.finish(tile, end_tile - tile);
    }
    sum.noalias() += gradients.sums() * gradients.sums().transpose() * correction;
  }
  return sum;
}

}  // namespace otss::internal
