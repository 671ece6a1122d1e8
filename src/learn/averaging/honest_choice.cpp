#include "learn/averaging/honest_choice.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "learn/averaging/cross_validation.hpp"

namespace otss::internal {

std::size_t least_loss(const Problem& problem, const std::vector<std::vector<double>>& losses,
                       const std::function<bool(std::size_t row)>& use) {
  std::vector<double> means;
  for (std::vector<double> loss : losses) {
    for (std::size_t i = 0; i < loss.size(); ++i) {
      if (!use(i)) loss[i] = std::numeric_limits<double>::quiet_NaN();
    }
    means.push_back(weighted_mean(problem, loss));
  }
  return std::ranges::min_element(means) - means.begin();
}

std::vector<double> honest_eta(const Problem& problem, const Folds& folds,
                               std::span<const std::uint32_t> groups,
                               const std::vector<std::vector<double>>& eta,
                               const std::vector<std::vector<double>>& losses) {
  const std::vector<std::uint8_t> part = honest_parts(folds, groups);
  std::vector<double> honest(problem.num_rows(), 0.0);
  const std::set<std::uint8_t> parts(part.begin(), part.end());
  for (const std::uint8_t own : parts) {
    if (own == Folds::kNeverHeldOut) continue;
    const std::size_t best =
        least_loss(problem, losses, [&](std::size_t row) { return part[row] != own; });
    for (std::size_t i = 0; i < honest.size(); ++i) {
      if (part[i] == own) honest[i] = eta[best][i];
    }
  }
  return honest;
}

}  // namespace otss::internal
