// Computes the Fisher information about theta when the deviations of the units are unknown.
#pragma once

#include <Eigen/Core>
#include <span>

#include "learn/mixture/covariance.hpp"
#include "learn/units/unit_pass.hpp"

namespace otss::internal {

// Returns the sum over units of
//
//   J'T J - J'T A V A'T J
//
// where the rows of J are d eta / d theta, T is the diagonal matrix of the precisions of the sites,
// the rows of A are the directions of the unit's rows, and V is the covariance of the unit's
// coordinates given its rows. The first term is the information if the deviations were known; the
// second term is the part that is lost because they are not. Only every n-th unit is used, and the sum
// is scaled up: n is `every`, less if there are few rows per parameter, and more above a limit on
// the work. The result is bitwise identical for any number of threads.
Eigen::MatrixXd marginal_information(const Problem& problem, const UnitIndex& index,
                                     const Population& population, std::span<const Site> sites,
                                     std::size_t every, int num_threads);

// Returns the covariance of theta at a fit to the problem: the sandwich of covariance.hpp, with the
// information above and the gradients of the marginal likelihood. `mean_outcomes` are those of the
// fit's last pass. `groups` has one id per row, and no group may cut a unit. It does not include the
// estimation error of the deviations' covariance.
FitCovariance marginal_covariance(const Problem& problem, const UnitIndex& index,
                                  const Population& population, std::span<const Site> sites,
                                  std::span<const double> mean_outcomes, const Penalty& penalty,
                                  std::span<const std::uint32_t> groups, int num_threads);

}  // namespace otss::internal
