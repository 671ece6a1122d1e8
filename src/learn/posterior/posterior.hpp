// Samples the posterior of the mixture. With five experts and a few thousand rows, the error of a
// single penalised fit is mostly variance, which averaging reduces. The posterior mean of w(x) does
// not depend on how the experts are numbered. Regret is linear in w, so the decision that is best
// under the posterior mean of w(x) has the lowest expected regret (docs/method.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learn/averaging/cross_validation.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/options/defaults.hpp"
#include "learn/posterior/chain_diagnostics.hpp"
#include "learn/posterior/learned_penalty.hpp"
#include "otss/base/device.hpp"

namespace otss::internal {

struct SamplingOptions {
  GateColumns gate_columns = GateColumns::kAll;
  int chains = defaults::kChains;
  int burn_in = defaults::kBurnIn;
  int draws = defaults::kDraws;  // per chain, after burn-in
  // Number of starts from which a penalised fit is made. One is the spectral start, the others are
  // random. The first chain starts from the best of these fits, the second chain from the second
  // best.
  int starts = defaults::kSamplerStarts;
  // If this is not empty, it replaces the spectral start of one K: the K whose mixture has as many
  // parameters as `start` has entries.
  std::vector<double> start = {};
  std::uint64_t seed = 1;
  int num_threads = 1;
  Device device = Device::kCpu;  // follows the trajectories (chain_rows.hpp)
};

struct Posterior {
  MixtureLayout layout;
  GateColumns gate_columns;
  std::vector<double> mode;  // the best penalised fit, from which the first chain starts
  // The draws of all chains. All draws of the first chain come first, then those of the next chain.
  std::vector<std::vector<double>> draws;
  StartsAgreeing starts;
  int num_chains = 0;
  double acceptance = 0;  // mean acceptance over the chains
  Mixing log_posterior;
  // How well the chains have mixed, measured by the weights at some contexts. 90 % of these weights
  // have mixed at least this well.
  Mixing weights;
  Penalty strengths;  // typical strengths: geometric means over the draws
};

Posterior sample_posterior(const Problem& problem, const PooledFit& pooled, int num_experts,
                           const SamplingOptions& options);

// Returns a warning if the chains have not mixed, or else an empty text.
std::string mixing_warning(const Posterior& posterior);

}  // namespace otss::internal
