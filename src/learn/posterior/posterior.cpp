#include "learn/posterior/posterior.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "learn/mixture/relevance.hpp"
#include "learn/posterior/chain_rows.hpp"
#include "learn/posterior/hmc.hpp"
#include "learn/posterior/sampled_relevance.hpp"
#include "learn/problem/spectral_start.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kWatchedContexts = 50;  // contexts at which the mixing of w(x) is measured
// A warning is given if the 90th percentile of the weights' R-hat is above this.
constexpr double kPoorRHat = 1.2;
constexpr double kFewDraws = 10;  // a warning is given if the effective sample size is below this

// Prior standard deviation of the gate scores in the penalised fits from which the chains start.
constexpr double kStartGateScale = 1.5;

constexpr int kRelevanceRounds = 10;  // rounds that learn relevances before a chain starts
constexpr int kForgetStart = 20;      // number of first moves that are not used to learn strengths
constexpr int kSettling = 40;         // number of last moves of burn-in, with fixed strengths

// Random numbers come from numbered streams, and each K has streams of its own. The streams of the
// starts come first, then the streams of the chains under each of the two priors on the gate.
constexpr std::uint64_t kStreamsPerCount = 1000, kFirstChainStream = 500, kStreamsPerBelief = 250;

std::vector<MixtureFit> start_fits(const Problem& problem, const PooledFit& pooled,
                                   const MixtureLayout& layout, const SamplingOptions& options) {
  const int experts = layout.num_experts;
  if (experts == 1) return {pooled.fit};
  Penalty penalty = pooled.penalty;
  penalty.gate = std::max(1, layout.num_contexts) / (kStartGateScale * kStartGateScale);
  penalty.expert = layout.num_factors;
  const SpectralStart spectral(problem, pooled.fit.theta);
  std::vector<MixtureFit> fits(options.starts);
  parallel_for(fits.size(), options.num_threads, [&](std::size_t s) {
    Rng rng(options.seed, kStreamsPerCount * experts + s);
    const std::vector<double> first =
        options.start.size() == layout.size() ? options.start : spectral.start(experts);
    const std::vector<double> start = s == 0 ? first : spectral.restart(experts, rng);
    fits[s] = fit_mixture(problem, penalty, layout, start, {options.num_threads, false});
  });
  std::stable_sort(fits.begin(), fits.end(), [](const MixtureFit& a, const MixtureFit& b) {
    return a.objective < b.objective;
  });
  return fits;
}

// Returns the metric of the sampler (the matrix L L' of leapfrog.hpp): the Gauss–Newton matrix plus the
// prior's curvature, both at the start of the chain. Computing this matrix again during burn-in
// gave no improvement.
Eigen::MatrixXd metric(const Problem& problem, const MixtureLayout& layout,
                       std::span<const double> theta, const LearnedPenalty& prior,
                       int num_threads) {
  const Problem small = problem.num_rows() > defaults::kMetricRows
                            ? subsample(problem, defaults::kMetricRows)
                            : problem;
  Eigen::MatrixXd hessian = curvature(small, theta, layout, num_threads);
  hessian *= problem.rows.total() / small.rows.total();
  prior.add_curvature(layout, theta, hessian);
  // A small number is added to the diagonal, so that the matrix is invertible. Without this number,
  // the matrix of a model with one expert would be singular: the expert's intercept and the
  // baseline's intercept have the same effect.
  hessian.diagonal().array() += 1e-3;
  return hessian;
}

struct ChainStart {
  std::vector<double> theta;
  LearnedPenalty prior;
};

ChainStart chain_start(const Problem& problem, const MixtureLayout& layout, const PooledFit& pooled,
                       const std::vector<double>& theta, GateColumns columns, int num_threads) {
  ChainStart start{theta, LearnedPenalty::standard(layout)};
  if (columns == GateColumns::kAll) return start;
  Penalty penalty = pooled.penalty;
  penalty.gate = std::max(1, layout.num_contexts);
  penalty.expert = layout.num_factors;
  start.theta =
      fit_with_relevance(problem, penalty, layout, theta, kRelevanceRounds, {num_threads, false})
          .theta;
  for (const double relevance : penalty.relevance)
    start.prior.gate_columns.push_back(GammaLaw::known(penalty.gate / relevance));
  return start;
}

// Runs one chain and keeps its prior and its draws.
class Chain {
 public:
  Chain(const ChainRows& rows, const Problem& problem, const MixtureLayout& layout,
        const ChainStart& start, Rng rng, int num_threads)
      : prior_(start.prior),
        leapfrog_(
            rows.leapfrog(prior_, metric(problem, layout, start.theta, start.prior, num_threads))),
        hmc_(start.theta, {}),
        relevance_(layout),
        rng_(rng) {}

  void burn_in(int moves) {
    for (int i = 0; i < moves; ++i) move();
  }

  // Makes moves of burn-in, and learns the strengths of the gate's columns from the positions after
  // these moves.
  void burn_in_and_learn(int moves) {
    for (int i = 0; i < moves; ++i) {
      move();
      if (i >= kForgetStart) relevance_.see(hmc_.position(), prior_);
    }
  }

  void draw(int count) {
    hmc_.freeze();
    for (int i = 0; i < count; ++i) {
      move();
      draws.emplace_back(hmc_.position().begin(), hmc_.position().end());
      log_posterior.push_back(-hmc_.value());
    }
  }

  LearnedPenalty& prior() { return prior_; }
  double acceptance() const { return hmc_.mean_acceptance(); }

  std::vector<std::vector<double>> draws;
  std::vector<double> log_posterior;

 private:
  void move() {
    check_interrupt();
    hmc_.move(*leapfrog_, rng_);
  }

  LearnedPenalty prior_;
  std::unique_ptr<Leapfrog> leapfrog_;
  HmcChain hmc_;
  SampledRelevance relevance_;
  Rng rng_;
};

using Chains = std::vector<std::unique_ptr<Chain>>;

// Gives all chains the geometric mean of the strengths that the chains learned. With different
// strengths the chains would sample different posteriors.
void share_strengths(Chains& chains) {
  std::vector<GammaLaw> shared = chains.front()->prior().gate_columns;
  for (std::size_t j = 0; j < shared.size(); ++j) {
    double log_strength = 0;
    for (const auto& chain : chains) {
      const GammaLaw& law = chain->prior().gate_columns[j];
      log_strength += std::log(law.shape / law.rate) / static_cast<double>(chains.size());
    }
    shared[j] = GammaLaw::known(std::exp(log_strength));
  }
  for (const auto& chain : chains) chain->prior().gate_columns = shared;
}

// Writes w(x) for the context of one row, in standardised units, to `w`.
void weights_at(const Problem& problem, const MixtureLayout& layout, std::span<const double> theta,
                std::size_t row, std::span<double> w) {
  std::vector<double> alpha(layout.num_experts, 0.0);
  for (int k = 0; k + 1 < layout.num_experts; ++k) {
    alpha[k] = theta[layout.gate(k) + layout.num_contexts];
    for (int j = 0; j < layout.num_contexts; ++j)
      alpha[k] += theta[layout.gate(k) + j] * problem.features->at(row, j);
  }
  const double largest = *std::ranges::max_element(alpha);
  double total = 0;
  for (double& a : alpha) total += a = std::exp(a - largest);
  std::ranges::fill(w, 0.0);
  for (int k = 0; k < layout.num_experts; ++k) {
    for (int j = 0; j < layout.num_factors; ++j)
      w[j] += alpha[k] / total * theta[layout.expert(k) + j];
  }
}

// Returns how well the chains have mixed, measured by w(x) at some contexts. R-hat of the
// parameters would be meaningless, because experts can exchange their numbers during sampling.
Mixing weights_mixing(const Problem& problem, const MixtureLayout& layout, const Chains& chains,
                      int num_threads) {
  const std::size_t contexts = std::min(kWatchedContexts, problem.num_rows());
  std::vector<double> r_hats(contexts * layout.num_factors);
  std::vector<double> effective_samples(r_hats.size());
  parallel_for(contexts, num_threads, [&](std::size_t c) {
    std::vector<double> w(layout.num_factors);
    std::vector<std::vector<std::vector<double>>> traces(
        layout.num_factors);  // [factor][chain][draw]
    for (auto& trace : traces) trace.resize(chains.size());
    for (std::size_t chain = 0; chain < chains.size(); ++chain) {
      for (const auto& theta : chains[chain]->draws) {
        weights_at(problem, layout, theta, c * problem.num_rows() / contexts, w);
        for (int j = 0; j < layout.num_factors; ++j) traces[j][chain].push_back(w[j]);
      }
    }
    for (std::size_t j = 0; j < traces.size(); ++j) {
      const Mixing one = mixing(traces[j]);
      r_hats[c * traces.size() + j] = one.r_hat;
      effective_samples[c * traces.size() + j] = one.effective_sample;
    }
  });
  std::ranges::sort(r_hats);
  std::ranges::sort(effective_samples, std::greater<>());
  const auto ninth_tenth = static_cast<std::size_t>(0.9 * static_cast<double>(r_hats.size() - 1));
  return {r_hats[ninth_tenth], effective_samples[ninth_tenth]};
}

}  // namespace

Posterior sample_posterior(const Problem& problem, const PooledFit& pooled, int num_experts,
                           const SamplingOptions& options) {
  const MixtureLayout layout = problem.layout(num_experts);
  const std::vector<MixtureFit> fits = start_fits(problem, pooled, layout, options);
  const auto rows = make_chain_rows(options.device, problem, num_experts, options.num_threads);
  Chains chains(options.chains);
  const auto each = [&](const std::function<void(std::size_t)>& work) {
    parallel_for(chains.size(), options.num_threads, work);
  };
  const bool learns = options.gate_columns == GateColumns::kFew;
  const int settling = learns ? std::min(kSettling, options.burn_in) : options.burn_in;
  each([&](std::size_t c) {
    const std::uint64_t stream = kStreamsPerCount * num_experts + kFirstChainStream +
                                 kStreamsPerBelief * static_cast<int>(options.gate_columns) + c;
    chains[c] =
        std::make_unique<Chain>(*rows, problem, layout,
                                chain_start(problem, layout, pooled, fits[c % fits.size()].theta,
                                            options.gate_columns, options.num_threads),
                                Rng(options.seed, stream), options.num_threads);
    if (learns) chains[c]->burn_in_and_learn(options.burn_in - settling);
  });
  if (learns) share_strengths(chains);
  each([&](std::size_t c) {
    chains[c]->burn_in(settling);
    chains[c]->draw(options.draws);
  });

  Posterior posterior{.layout = layout,
                      .gate_columns = options.gate_columns,
                      .mode = fits.front().theta,
                      .starts = starts_agreeing(fits),
                      .num_chains = options.chains};
  std::vector<std::vector<double>> traces;
  for (const auto& chain : chains) {
    posterior.draws.insert(posterior.draws.end(), chain->draws.begin(), chain->draws.end());
    posterior.acceptance += chain->acceptance() / options.chains;
    traces.push_back(chain->log_posterior);
  }
  posterior.log_posterior = mixing(traces);
  posterior.weights = weights_mixing(problem, layout, chains, options.num_threads);
  posterior.strengths = LearnedPenalty::standard(layout).typical_strengths(layout, posterior.draws);
  return posterior;
}

std::string mixing_warning(const Posterior& posterior) {
  const Mixing& weights = posterior.weights;
  if (weights.r_hat <= kPoorRHat && weights.effective_sample >= kFewDraws) return {};
  return fmt::format(
      "the chains with {} experts have not mixed (R-hat {:.2f}, should be at most {:.2f}; "
      "effective "
      "sample {:.0f} draws, should be at least {:.0f}): the log may not distinguish so many "
      "experts; "
      "try a smaller number in --experts",
      posterior.layout.num_experts, weights.r_hat, kPoorRHat, weights.effective_sample, kFewDraws);
}

}  // namespace otss::internal
