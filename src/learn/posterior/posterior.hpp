// The whole posterior of the mixture instead of its best point. With five experts and some thousand
// rows the trouble is variance, not local minima: the posterior mean of w(x) needs no labels
// aligned, and since regret is linear in w it is the Bayes decision (docs/method.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learn/averaging/cross_validation.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/options/defaults.hpp"
#include "learn/posterior/chain_diagnostics.hpp"
#include "learn/posterior/learned_penalty.hpp"

namespace otss {

struct SamplingOptions {
  GateColumns gate_columns = GateColumns::kAll;
  int chains = defaults::kChains;
  int burn_in = defaults::kBurnIn;
  int draws = defaults::kDraws;  // of each chain, after burn-in
  int starts =
      defaults::kSamplerStarts;    // the spectral one, then random ones: the best begin the chains
  std::vector<double> start = {};  // instead of the spectral one, for the K it has the size of
  std::uint64_t seed = 1;
  int num_threads = 1;
};

struct Posterior {
  MixtureLayout layout;
  GateColumns gate_columns;
  std::vector<double> mode;                // a penalised fit: where the first chain began
  std::vector<std::vector<double>> draws;  // chain after chain
  StartsAgreeing starts;
  int num_chains = 0;
  double acceptance = 0;  // mean over chains
  Mixing log_posterior;
  Mixing weights;  // of w_j(x) at fixed contexts: nine in ten of them have mixed at least so well
  Penalty strengths;  // geometric means over the draws: the typical ones
};

Posterior sample_posterior(const Problem& problem, const PooledFit& pooled, int num_experts,
                           const SamplingOptions& options);

// A sentence when the chains did not mix, else empty.
std::string mixing_warning(const Posterior& posterior);

}  // namespace otss
