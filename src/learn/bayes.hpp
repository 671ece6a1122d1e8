// The whole posterior of the mixture instead of its best point. With five experts and some thousand rows the trouble
// is variance, not local minima: the posterior mean of w(x) needs no labels aligned, and since regret is linear in w it
// is the Bayes decision (docs/method.md).
#pragma once

#include <string>
#include <vector>

#include "learn/chain_diagnostics.hpp"
#include "learn/pooled.hpp"
#include "learn/precision_prior.hpp"

namespace otss {

struct BayesOptions {
  int chains = 2;
  int burn_in = 120;
  int draws = 160;  // of each chain
  int starts = 4;   // the spectral one, then random ones: the best begin the chains
  int leapfrog = 8;
  int metric = 1;
  double gate_shape = 2, gate_rate = 4.5, expert_shape = 2, expert_rate = .25;
  std::uint64_t seed = 1;
  int num_threads = 1;
};

struct Posterior {
  MixtureLayout layout;
  std::vector<double> mode;                // the best penalised fit: where the first chain began
  std::vector<std::vector<double>> draws;  // chain after chain
  int num_chains = 0;
  double acceptance = 0;
  double step = 0;
  Mixing log_posterior;
  Mixing weights;  // of w_j(x) at fixed contexts: the worst R-hat and the smallest effective sample
};

Posterior sample_posterior(const Problem& problem, const PooledFit& pooled, int num_experts,
                           const BayesOptions& options);

// The logit of each row averaged over the posterior without that row, by (truncated) importance weights of the draws
// (Ionides 2008): what held-out predictions are to a fit, without holding out.
std::vector<double> leave_one_out_logits(const Problem& problem, const Posterior& posterior, int num_threads);

}  // namespace otss
