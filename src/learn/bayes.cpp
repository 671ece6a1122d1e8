#include "learn/bayes.hpp"

#include <algorithm>
#include <cmath>

#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "engine/cpu/cpu_engine.hpp"
#include "engine/gauss_newton.hpp"
#include "engine/mixture_row.hpp"
#include "learn/hmc.hpp"
#include "learn/spectral_start.hpp"

namespace otss {
namespace {

constexpr std::size_t kWatchedContexts = 50;

// Summed loss + penalty: minus the log posterior given the precisions.
class PosteriorObjective final : public Objective {
 public:
  explicit PosteriorObjective(const Engine& engine, const Penalty& penalty) : engine_(engine), penalty_(penalty) {}
  std::size_t size() const override { return engine_.layout().size(); }
  double evaluate(std::span<const double> theta, std::span<double> gradient) override {
    const double loss = engine_.evaluate(theta, gradient, Precision::kSingle);
    return loss + penalty_.add(engine_.layout(), theta, gradient);
  }

 private:
  const Engine& engine_;
  const Penalty& penalty_;
};

struct Chain {
  std::vector<std::vector<double>> draws;
  std::vector<double> log_posterior;
  double acceptance = 0;
  double step = 0;
};

Eigen::MatrixXd hessian_at(const Problem& problem, const MixtureLayout& layout, std::span<const double> theta,
                           const Penalty& penalty) {
  Eigen::MatrixXd hessian = gauss_newton(*problem.features, problem.rows, theta, layout, 1);
  penalty.add_curvature(layout, hessian);
  hessian.diagonal().array() += 1e-3;
  return hessian;
}

Chain run_chain(const Problem& problem, const MixtureLayout& layout, const std::vector<double>& start,
                const Penalty& start_penalty, const PrecisionPriors& priors, const BayesOptions& options, Rng rng) {
  const auto engine =
      make_cpu_engine(*problem.features, problem.num_contexts, problem.rows, layout.num_experts, 1);
  Penalty penalty = start_penalty;
  PosteriorObjective objective(*engine, penalty);
  HmcChain hmc(start, hessian_at(problem, layout, start, penalty), {.leapfrog_steps = options.leapfrog});
  Chain chain;
  for (int i = 0; i < options.burn_in + options.draws; ++i) {
    check_interrupt();
    if (options.metric > 0 && i > 0 && i < options.burn_in && i % (options.burn_in / (options.metric + 1)) == 0) {
      hmc.set_hessian(hessian_at(problem, layout, hmc.position(), penalty));
    }
    if (i == options.burn_in) hmc.freeze();
    penalty = priors.draw(layout, hmc.position(), penalty, rng);
    hmc.move(objective, rng);
    if (i < options.burn_in) continue;
    chain.draws.emplace_back(hmc.position().begin(), hmc.position().end());
    chain.log_posterior.push_back(priors.log_density(layout, penalty) - hmc.value());
  }
  chain.acceptance = hmc.mean_acceptance();
  chain.step = hmc.step();
  return chain;
}

// w(x) in standardised units.
void weights_at(const Problem& problem, const MixtureLayout& layout, std::span<const double> theta, std::size_t row,
                std::span<double> w) {
  const int k = layout.num_experts;
  std::vector<double> alpha(k, 0.0);
  for (int e = 0; e + 1 < k; ++e) {
    alpha[e] = theta[layout.gate(e) + layout.num_contexts];
    for (int j = 0; j < layout.num_contexts; ++j) alpha[e] += theta[layout.gate(e) + j] * problem.features->at(row, j);
  }
  const double largest = *std::ranges::max_element(alpha);
  double total = 0;
  for (double& a : alpha) total += a = std::exp(a - largest);
  std::ranges::fill(w, 0.0);
  for (int e = 0; e < k; ++e) {
    for (int j = 0; j < layout.num_factors; ++j) w[j] += alpha[e] / total * theta[layout.expert(e) + j];
  }
}

Mixing weights_mixing(const Problem& problem, const MixtureLayout& layout, const std::vector<Chain>& chains) {
  Mixing worst{1, 1e300};
  const std::size_t contexts = std::min(kWatchedContexts, problem.num_rows());
  std::vector<double> w(layout.num_factors);
  for (std::size_t c = 0; c < contexts; ++c) {
    const std::size_t row = c * problem.num_rows() / contexts;
    std::vector<std::vector<std::vector<double>>> traces(layout.num_factors,
                                                         std::vector<std::vector<double>>(chains.size()));
    for (std::size_t chain = 0; chain < chains.size(); ++chain) {
      for (const auto& theta : chains[chain].draws) {
        weights_at(problem, layout, theta, row, w);
        for (int j = 0; j < layout.num_factors; ++j) traces[j][chain].push_back(w[j]);
      }
    }
    for (const auto& trace : traces) {
      const Mixing m = mixing(trace);
      worst.r_hat = std::max(worst.r_hat, m.r_hat);
      worst.effective_sample = std::min(worst.effective_sample, m.effective_sample);
    }
  }
  return worst;
}

}  // namespace

Posterior sample_posterior(const Problem& problem, const PooledFit& pooled, int num_experts,
                           const BayesOptions& options) {
  const MixtureLayout layout = problem.layout(num_experts);
  PrecisionPriors priors = PrecisionPriors::standard(layout);
  priors.gate = {options.gate_shape, options.gate_rate / std::max(1, layout.num_contexts)};
  priors.expert = {options.expert_shape, options.expert_rate};
  Penalty penalty = pooled.penalty;
  penalty.gate = std::max(1, layout.num_contexts) / 2.25;
  penalty.expert = layout.num_factors;

  std::vector<MixtureFit> fits(num_experts == 1 ? 1 : std::max(options.starts, options.chains));
  const SpectralStart spectral(problem, pooled.fit.theta);
  parallel_for(fits.size(), options.num_threads, [&](std::size_t s) {
    Rng rng(options.seed, 1000 * num_experts + s);
    const auto start = num_experts == 1 ? pooled.fit.theta
                       : s == 0         ? spectral.start(num_experts)
                                        : spectral.restart(num_experts, rng);
    fits[s] = fit_mixture(problem, penalty, layout, start, {1, false});
  });
  std::stable_sort(fits.begin(), fits.end(),
                   [](const MixtureFit& a, const MixtureFit& b) { return a.objective < b.objective; });

  std::vector<Chain> chains(options.chains);
  parallel_for(chains.size(), options.num_threads, [&](std::size_t c) {
    chains[c] = run_chain(problem, layout, fits[c % fits.size()].theta, penalty, priors, options,
                          Rng(options.seed, 1000 * num_experts + 500 + c));
  });
  Posterior posterior{.layout = layout, .mode = fits.front().theta, .num_chains = options.chains};
  std::vector<std::vector<double>> traces;
  for (const Chain& chain : chains) {
    posterior.draws.insert(posterior.draws.end(), chain.draws.begin(), chain.draws.end());
    posterior.acceptance += chain.acceptance / options.chains;
    posterior.step += chain.step / options.chains;
    traces.push_back(chain.log_posterior);
  }
  posterior.log_posterior = mixing(traces);
  posterior.weights = weights_mixing(problem, layout, chains);
  return posterior;
}

std::vector<double> leave_one_out_logits(const Problem& problem, const Posterior& posterior, int num_threads) {
  constexpr std::size_t kMostDraws = 200;
  const std::size_t step = (posterior.draws.size() + kMostDraws - 1) / kMostDraws;
  std::vector<double> result(problem.num_rows());
  constexpr std::size_t kRowsPerTask = 1024;
  parallel_for((problem.num_rows() + kRowsPerTask - 1) / kRowsPerTask, num_threads, [&](std::size_t task) {
    std::vector<MixtureRow<double>> models;
    for (std::size_t d = 0; d < posterior.draws.size(); d += step) {
      models.emplace_back(posterior.layout, posterior.draws[d]);
    }
    std::vector<double> inverse(models.size());
    const std::size_t end = std::min(problem.num_rows(), (task + 1) * kRowsPerTask);
    for (std::size_t i = task * kRowsPerTask; i < end; ++i) {
      const double row = problem.rows[i];
      double total = 0;
      for (std::size_t d = 0; d < models.size(); ++d) {
        models[d].evaluate(problem.features->tile(i / kTileRows) + i % kTileRows);
        const double margin = row > 0 ? models[d].eta() : -models[d].eta();
        total += inverse[d] = std::pow(1 + std::exp(-margin), std::abs(row));
      }
      const double most = total / std::sqrt(static_cast<double>(models.size()));
      double weights = 0;
      for (std::size_t d = 0; d < models.size(); ++d) {
        const double weight = std::min(inverse[d], most);
        weights += weight;
        result[i] += weight * models[d].eta();
      }
      result[i] /= weights;
    }
  });
  return result;
}

}  // namespace otss
