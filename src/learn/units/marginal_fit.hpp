// Fits the population's parameters with the deviations of the units integrated out: theta, the
// covariance of the deviations and, for gaussian outcomes, the noise.
//
// The gradient of the marginal likelihood follows from the posteriors of the units (Fisher's
// identity). For the covariance it is the mean of E ee' - I. For theta it is the gradient of an
// ordinary fit in which each row has an offset o with mean(eta + o) = E mean(eta + deviation). So
// each pass over the units is followed by one evaluation of the engine with these offsets. The steps
// are those of Fisher scoring, with the information about the covariance (spread.hpp) and about
// theta (marginal_information.hpp). A step that lowers the likelihood is taken back and repeated,
// closer to a step of expectation–maximisation.
#pragma once

#include <vector>

#include "learn/mixture/penalty.hpp"
#include "learn/units/unit_pass.hpp"

namespace otss::internal {

// Returns a population with another covariance. Theta changes such that the mean outcomes hardly
// change: with larger deviations, the same probabilities need larger weights.
Population with_spread(Population population, Spread spread, OutputFamily family);

// The prior of theta, as a term of the summed loss: the penalty minus tilt'theta.
//
// The tilt keeps what averaging and distilling found. A model that is an average of penalised fits
// is not the minimum of the loss plus one penalty. The tilt is the gradient of the loss plus the
// penalty at that model. So the model is a stationary point if units do not differ, and theta moves
// only because they do. For a single penalised fit, the tilt is 0.
struct PopulationPrior {
  Penalty penalty;
  std::vector<double> tilt;
};
PopulationPrior prior_at(const Problem& problem, const Penalty& penalty,
                         const MixtureLayout& layout, std::span<const double> theta,
                         int num_threads);

struct MarginalEffort {
  int num_threads = 1;
  int most_passes = 40;
  // The fit has settled if a pass raises the objective by less than this, in nats. The covariance
  // may still grow slowly in directions about which the log says little. But a step of one standard
  // error in one direction changes the log likelihood by half a nat, so that all later steps
  // together are small compared with the estimation error.
  double settled_gain = 0.2;
  // If false, only the covariance and the noise are fitted. If true, the baseline and the experts
  // are fitted too. The gate stays as it is, because it is invariant to what deviations change, the
  // scale of eta. With a given gate, the predictor is linear in the parameters, so that theta has
  // no local optima.
  bool moves_theta = true;
};

struct MarginalFit {
  Population population;
  std::vector<Site> sites;            // one per row
  std::vector<double> mean_outcomes;  // see UnitPass
  double log_evidence = 0;            // the log marginal likelihood, without the priors
  int passes = 0;
  bool settled = false;  // see MarginalEffort::settled_gain
};

// Fits from `start`. `sites` are those of an earlier fit to the same rows, or empty.
MarginalFit fit_marginal(const Problem& problem, const UnitIndex& index,
                         const PopulationPrior& prior, Population start, std::vector<Site> sites,
                         const MarginalEffort& effort);

}  // namespace otss::internal
