#include "engine/group_scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/threads.hpp"
#include "engine/linear_predictors.hpp"
#include "engine/mixture_row.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// The gradients of so many groups are kept in memory that their matrix has at most this many
// entries.
constexpr double kGradientEntries = 2e7;
// The groups are divided into this many parts, whatever the number of threads.
constexpr std::size_t kGroupParts = 16;

// The rows of a log in the order of their groups.
struct RowsByGroup {
  std::vector<std::size_t> first;  // for each group, where its rows begin in `rows`; then their end
  std::vector<std::size_t> rows;

  explicit RowsByGroup(std::span<const std::uint32_t> groups)
      : first(2 + *std::ranges::max_element(groups), 0), rows(groups.size()) {
    for (const std::uint32_t group : groups) ++first[group + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < groups.size(); ++i) rows[next[groups[i]]++] = i;
  }
  std::size_t num_groups() const { return first.size() - 1; }
};

// Returns the summed gradients of the groups [begin, end), one column per group.
MatrixXd gradients_of_groups(const TileMatrix& features, const SignedWeights& weights,
                             const MixtureLayout& layout, std::span<const double> theta,
                             std::span<const double> slopes, Mixed mixed,
                             const RowsByGroup& by_group, std::size_t begin, std::size_t end,
                             int num_threads) {
  const auto size = static_cast<Index>(layout.size());
  MatrixXd gradients = MatrixXd::Zero(size, static_cast<Index>(end - begin));
  parallel_for(kGroupParts, num_threads, [&](std::size_t part) {
    MixtureRow row(layout, theta, mixed);
    std::vector<double> derivative(layout.size());
    const std::size_t last = (part + 1) * (end - begin) / kGroupParts;
    for (std::size_t g = part * (end - begin) / kGroupParts; g < last; ++g) {
      for (std::size_t at = by_group.first[begin + g]; at < by_group.first[begin + g + 1]; ++at) {
        const std::size_t i = by_group.rows[at];
        if (weights[i] == 0) continue;
        row.evaluate(features.tile(i / kTileRows) + i % kTileRows);
        row.derivative(slopes[i], derivative);
        gradients.col(static_cast<Index>(g)) +=
            Eigen::Map<const Eigen::VectorXd>(derivative.data(), size);
      }
    }
  });
  return gradients;
}

}  // namespace

std::vector<double> loss_slopes(const TileMatrix& features, const SignedWeights& rows,
                                const Outcomes& outcomes, const MixtureLayout& layout,
                                std::span<const double> theta, Mixed mixed, int num_threads) {
  const OutputFamily family = outcomes.family();
  std::vector<double> slopes(features.num_rows());
  linear_predictors(features, layout, theta, num_threads, slopes, mixed);
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const double weight = std::abs(rows[i]);
    const double outcome =
        family == OutputFamily::kBernoulli ? rows[i] > 0 : static_cast<double>(outcomes[i]);
    slopes[i] = weight == 0 ? 0 : weight * family.slope(slopes[i], outcome);
  }
  return slopes;
}

MatrixXd group_outer_products(const TileMatrix& features, const SignedWeights& rows,
                              const MixtureLayout& layout, std::span<const double> theta,
                              std::span<const double> slopes, std::span<const std::uint32_t> groups,
                              int num_threads, Mixed mixed) {
  const RowsByGroup by_group(groups);
  const auto count = static_cast<double>(by_group.num_groups());
  const double correction = count > 1 ? count / (count - 1) : 1;
  const auto most = static_cast<std::size_t>(kGradientEntries / static_cast<double>(layout.size()));
  const auto size = static_cast<Index>(layout.size());
  MatrixXd sum = MatrixXd::Zero(size, size);
  for (std::size_t begin = 0; begin < by_group.num_groups(); begin += most) {
    const MatrixXd gradients =
        gradients_of_groups(features, rows, layout, theta, slopes, mixed, by_group, begin,
                            std::min(begin + most, by_group.num_groups()), num_threads);
    sum.noalias() += gradients * gradients.transpose() * correction;
  }
  return sum;
}

}  // namespace otss::internal
