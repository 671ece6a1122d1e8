// This header computes confidence intervals of estimates. Rows of one unit, such as the rows of one
// person, may depend on each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "otss/base/bounds.hpp"

namespace otss::internal {

// Returns the number of units, which is the number of rows if `units` is empty.
std::size_t num_units(std::span<const std::uint32_t> units, std::size_t num_rows);

// Says how much a row moves an estimate. It is computed when it is needed: a list of it would take as
// much memory as the predictions of all rows.
using Influence = std::function<double(std::size_t row)>;

// Returns the interval estimate ± t · standard error. `influence` is called once for each row, in the
// order of the rows. The influences of all rows sum to 0. `units` has the number of each row's
// unit, counted from 0 without gaps. It is empty if all rows are independent. The standard error is
// the cluster-robust one with the correction G / (G - 1) for G units (Liang & Zeger 1986), and t is
// a quantile of Student's distribution with G - 1 degrees of freedom. The interval is undefined if
// there is only one unit.
Bounds clustered_interval(double estimate, std::size_t num_rows, const Influence& influence,
                          std::span<const std::uint32_t> units, double level);

// Returns the interval of the mean of `values`.
Bounds clustered_mean_interval(std::span<const double> values, std::span<const std::uint32_t> units,
                               double level);

}  // namespace otss::internal
