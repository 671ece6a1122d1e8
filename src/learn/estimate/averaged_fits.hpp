// Describes the estimation error of an average of penalised fits by draws.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "learn/averaging/distill.hpp"
#include "learn/mixture/covariance.hpp"
#include "model/uncertainty/drawn_uncertainty.hpp"

namespace otss::internal {

// Computes the covariance of parameters that were fitted with a given penalty.
using CovarianceOf = std::function<FitCovariance(const Penalty& penalty, const SumRequest& at)>;

// Returns the members of an average that are penalised mixtures, those with few experts first.
std::vector<const Member*> penalised_mixtures(const std::vector<Member>& members);

// Returns `count` of the members. A member is returned in proportion to its weight: never, once or
// several times. The order does not change.
std::vector<const Member*> in_proportion(const std::vector<const Member*>& members,
                                         std::size_t count);

// Returns draws from the normal laws of the fits, in proportion to the weights of the fits.
//
// The settings of a penalised fit, its number of experts and its penalties, are a guess, and the
// covariance of the fit does not know this. The members of the average are fits with other settings
// that held-out rows do not rule out. So the variance of the error is the mean variance of the fits
// plus the variance between the fits (Buckland et al. 1997). The draws have this variance, because
// all of them count as one posterior.
std::shared_ptr<const DrawnUncertainty> draws_of_fits(const LoggedData& log, const Problem& problem,
                                                      const std::vector<const Member*>& fits,
                                                      const CovarianceOf& covariance_of,
                                                      int num_threads);

}  // namespace otss::internal
