// Predicts held-out rows by the setting that a choice without these rows would take.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "learn/problem/split.hpp"

namespace otss::internal {

// Returns the index of the setting with the lowest mean loss over the rows for which use(row) is
// true. losses[setting][row] is NaN for rows that are never held out.
std::size_t least_loss(const Problem& problem, const std::vector<std::vector<double>>& losses,
                       const std::function<bool(std::size_t row)>& use);

// Returns the predictions of the held-out rows. These rows are divided into parts (honest_parts).
// The rows of each part are predicted by the setting that has the lowest loss on the other parts. A
// setting chosen by the loss on all held-out rows would seem better on these rows than it is. The
// entry is 0 for rows that are never held out.
std::vector<double> honest_eta(const Problem& problem, const Folds& folds,
                               std::span<const std::uint32_t> groups,
                               const std::vector<std::vector<double>>& eta,
                               const std::vector<std::vector<double>>& losses);

}  // namespace otss::internal
