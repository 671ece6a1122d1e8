#include "lab/theory/rates.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lab/theory/logistic.hpp"
#include "lab/theory/quadrature.hpp"
#include "lab/theory/rate_family.hpp"
#include "learn/mixture/mixture_objective.hpp"
#include "learn/problem/problem.hpp"
#include "optim/lbfgs.hpp"

namespace otss::internal {
namespace {

using WeightsAt = std::function<RateWeights(double x)>;

double weight_error(const WeightsAt& estimate, int num_pieces) {
  return integrate(
      [&](double x) {
        const RateWeights w = estimate(x);
        const RateWeights truth = rate_weights(x);
        double sum = 0;
        for (int j = 0; j < kRateFactors; ++j) sum += (w[j] - truth[j]) * (w[j] - truth[j]);
        return sum;
      },
      equal_cuts(0, 1, num_pieces));
}

// A penalty so small that the fits are nearly maximum likelihood. A penalty is needed because the
// model has a redundant intercept: along some directions the loss does not change, and the penalty
// fixes the position along them. The penalty is added to the summed loss, so its effect vanishes
// like 1/n, as the theorem requires.
constexpr Penalty kNearlyNone{
    .gate = 1e-6, .gate_intercept = 1e-6, .expert = 1e-6, .center = 1e-6, .baseline = 1e-6};

// The largest number of evaluations of the objective in one fit. The method "joint, gate in x"
// needs many, because its objective is nearly flat along one direction (rates.hpp). The other
// methods need about 50.
constexpr int kMaxEvaluations = 300;

RateWeights weights_at(std::span<const double> theta, std::size_t offset) {
  RateWeights w;
  for (int j = 0; j < kRateFactors; ++j) w[j] = theta[offset + j];
  return w;
}

// Minimises the loss over all rows in f64 until convergence. `fit_mixture` is not used here,
// because it may stop a large fit when less than one nat can be gained. Such an early stop hardly
// changes a decision, but it would change the measured error by a tenth.
std::vector<double> fit(const Problem& problem, int num_experts, std::span<const double> start) {
  const auto engine = make_engine(problem, num_experts, 1);
  MixtureObjective objective(*engine, kNearlyNone, Precision::kDouble);
  return minimize(objective, start,
                  {.memory = 60,
                   .max_evaluations = kMaxEvaluations,
                   .gradient_tolerance = 1e-10,
                   .value_tolerance = 1e-12})
      .x;
}

struct Bin {
  std::vector<double> factors;
  std::vector<float> outcomes;
};

int region_of(double x, int regions) {
  return std::min(regions - 1, static_cast<int>(x * regions));
}

std::vector<Bin> bins_of(const RateLog& log) {
  std::vector<Bin> bins(rate_regions(log.num_rows()));
  for (std::size_t i = 0; i < log.num_rows(); ++i) {
    Bin& bin = bins[region_of(log.contexts[i], static_cast<int>(bins.size()))];
    const auto z = std::span(log.factors).subspan(i * kRateFactors, kRateFactors);
    bin.factors.insert(bin.factors.end(), z.begin(), z.end());
    bin.outcomes.push_back(log.outcomes[i]);
  }
  return bins;
}

double hard_error(const std::vector<Bin>& bins, LogisticFit how) {
  const int regions = static_cast<int>(bins.size());
  std::vector<RateWeights> fits;
  fits.reserve(bins.size());
  for (const Bin& bin : bins) fits.push_back(fit_logistic(bin.factors, bin.outcomes, how));
  return weight_error([&](double x) { return fits[region_of(x, regions)]; }, regions);
}

// Returns the error of the oracle gate. With known shares α, the model is a logistic regression on
// the columns α z and (1 - α) z.
double oracle_gate_error(const RateLog& log) {
  auto features = std::make_shared<TileMatrix>(log.num_rows(), 2 * kRateFactors);
  for (std::size_t i = 0; i < log.num_rows(); ++i) {
    const double share = rate_share(log.contexts[i]);
    for (int j = 0; j < kRateFactors; ++j) {
      const double z = log.factors[i * kRateFactors + j];
      features->at(i, j) = static_cast<float>(share * z);
      features->at(i, kRateFactors + j) = static_cast<float>((1 - share) * z);
    }
  }
  const Problem problem{features, 0, SignedWeights(log.outcomes)};
  const MixtureLayout layout = problem.layout(1);
  const std::vector<double> theta = fit(problem, 1, std::vector<double>(layout.size(), 0.0));
  const RateWeights first = weights_at(theta, layout.expert(0));
  const RateWeights second = weights_at(theta, layout.expert(0) + kRateFactors);
  return weight_error(
      [&](double x) {
        RateWeights w;
        for (int j = 0; j < kRateFactors; ++j)
          w[j] = rate_share(x) * first[j] + (1 - rate_share(x)) * second[j];
        return w;
      },
      1);
}

double logit_of_share(double x) { return std::log(rate_share(x) / (1 - rate_share(x))); }

// Returns x shifted and scaled to mean 0 and variance 1, as in a real fit.
double standardised(double x) { return std::sqrt(12.0) * (x - 0.5); }

// Fits gate and experts together, and returns the error of this fit. The gate is linear in
// column(x) and starts with the slope 1. If column(x) is logit α*(x), the fit thus starts at the
// true gate; the theorem is about the optimum near the true gate.
double joint_error(const RateLog& log, const RealFunction& column) {
  auto features = std::make_shared<TileMatrix>(log.num_rows(), 1 + kRateFactors);
  for (std::size_t i = 0; i < log.num_rows(); ++i) {
    features->at(i, 0) = static_cast<float>(column(log.contexts[i]));
    for (int j = 0; j < kRateFactors; ++j)
      features->at(i, 1 + j) = static_cast<float>(log.factors[i * kRateFactors + j]);
  }
  const Problem problem{features, 1, SignedWeights(log.outcomes)};
  const MixtureLayout layout = problem.layout(2);
  std::vector<double> start(layout.size(), 0.0);
  start[layout.gate(0)] = 1;
  const std::vector<double> theta = fit(problem, 2, start);
  const RateWeights first = weights_at(theta, layout.expert(0));
  const RateWeights second = weights_at(theta, layout.expert(1));
  return weight_error(
      [&](double x) {
        const double score = theta[layout.gate(0)] * column(x) + theta[layout.gate(0) + 1];
        const double share = 1 / (1 + std::exp(-score));
        RateWeights w;
        for (int j = 0; j < kRateFactors; ++j) w[j] = share * first[j] + (1 - share) * second[j];
        return w;
      },
      4);
}

}  // namespace

RateErrors rate_errors(std::uint64_t seed, int log2_n) {
  const RateLog log = draw_rate_log(seed, log2_n);
  const std::vector<Bin> bins = bins_of(log);
  return {hard_error(bins, LogisticFit::kBiasReduced),
          hard_error(bins, LogisticFit::kMaximumLikelihood), oracle_gate_error(log),
          joint_error(log, logit_of_share), joint_error(log, standardised)};
}

}  // namespace otss::internal
