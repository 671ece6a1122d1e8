// Samples the posterior of the mixture. With five experts and a few thousand rows, the error of a
// single penalised fit is mostly variance, which averaging reduces. The posterior mean of w(x) does
// not depend on the labels of the experts, and since regret is linear in w, deciding by it is the
// Bayes decision (docs/method.md).
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
  int draws = defaults::kDraws;  // per chain, after burn-in
  // Starting points that are fitted, the spectral one and random ones; chains start from the best.
  int starts = defaults::kSamplerStarts;
  std::vector<double> start = {};  // replaces the spectral start for the K whose layout it fits
  std::uint64_t seed = 1;
  int num_threads = 1;
};

struct Posterior {
  MixtureLayout layout;
  GateColumns gate_columns;
  std::vector<double> mode;  // the best penalised fit, from which the first chain starts
  std::vector<std::vector<double>> draws;  // one chain after the other
  StartsAgreeing starts;
  int num_chains = 0;
  double acceptance = 0;  // mean over chains
  Mixing log_posterior;
  Mixing weights;     // of w_j(x) at some contexts: 90 % of these have mixed at least this well
  Penalty strengths;  // typical strengths: geometric means over the draws
};

Posterior sample_posterior(const Problem& problem, const PooledFit& pooled, int num_experts,
                           const SamplingOptions& options);

// A warning if the chains have not mixed, else empty.
std::string mixing_warning(const Posterior& posterior);

}  // namespace otss
