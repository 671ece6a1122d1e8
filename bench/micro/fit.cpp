// Complete fits: one start on a small log (bench/run --peers compares it with PyTorch and flexmix),
// one fit of a million rows, and the default `otss fit` of the same rows.
//
//   fit [--log FILE]      also writes the small log as CSV for the peers
#include "otss/learn/fit.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "engine/cpu/cpu_engine.hpp"
#include "lab/worlds/simulation.hpp"
#include "learn/mixture/mixture_fit.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/problem/spectral_start.hpp"
#include "optim/lbfgs.hpp"
#include "timing.hpp"

namespace {

using namespace otss;
using namespace otss::internal;

// The objective of bench/peers/torch_fit.py: mean loss + ridge / 2 |theta|^2.
class RidgeObjective final : public Objective {
 public:
  RidgeObjective(const Engine& engine, Precision precision)
      : engine_(engine), precision_(precision) {}
  std::size_t size() const override { return engine_.layout().size(); }
  double evaluate(std::span<const double> theta, std::span<double> gradient) override {
    constexpr double kRidge = 1e-3;
    const double scale = 1 / engine_.total_weight();
    double value = engine_.evaluate(theta, gradient, precision_) * scale;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      gradient[i] = gradient[i] * scale + kRidge * theta[i];
      value += 0.5 * kRidge * theta[i] * theta[i];
    }
    return value;
  }

 private:
  const Engine& engine_;
  Precision precision_;
};

void small_fit(const char* log_path) {
  constexpr std::uint64_t kSeed = 50;
  const Simulation simulation = simulate_overlap({.seed = kSeed});
  const LoggedData log = training_log(simulation);
  const Problem problem = whole_problem(log);
  const auto engine = make_cpu_engine(*problem.features, problem.num_contexts, problem.rows, 2, 1);
  Rng rng(1);
  std::vector<double> start(engine->layout().size());
  for (double& t : start) t = 0.1 * rng.normal();
  Minimum minimum;
  const double seconds = bench::best_seconds(
      [&] {
        RidgeObjective single(*engine, Precision::kSingle);
        const Minimum rough =
            minimize(single, start, {.gradient_tolerance = 1e-5, .value_tolerance = 1e-7});
        RidgeObjective exact(*engine, Precision::kDouble);
        minimum = minimize(exact, rough.x, {.gradient_tolerance = 1e-7, .pairs = rough.pairs});
        minimum.evaluations += rough.evaluations;
      },
      0.5);
  fmt::print(
      "one fit, n=5000 p=10 J=8 K=2, one start, one thread: objective {:.8f}, {} evaluations, "
      "{:.3f} ms\n",
      minimum.value, minimum.evaluations, 1e3 * seconds);
  if (log_path == nullptr) return;
  write_simulation(simulation, log_path);
  std::ofstream(std::string(log_path) + "/otss_fit.txt")
      << fmt::format("{:.10f} {:.9f}\n", minimum.value, seconds);
}

// A million rows simulated from a mixture of five experts.
struct Million {
  static constexpr std::size_t kRows = 1'000'000;
  static constexpr int kContexts = 20, kFactors = 10, kExperts = 5;
  std::vector<std::vector<double>> columns;
  std::vector<double> outcomes;

  Million() : columns(kContexts + kFactors, std::vector<double>(kRows)), outcomes(kRows) {
    Rng rng(11);
    const MixtureLayout layout{kContexts, kFactors, kExperts};
    std::vector<double> theta(layout.size());
    for (std::size_t i = 0; i < theta.size(); ++i)
      theta[i] = rng.normal() * (i < layout.expert(0) ? 0.4 : 0.8);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (auto& column : columns) column[i] = rng.normal();
      outcomes[i] = rng.uniform() < 1 / (1 + std::exp(-predictor(layout, theta, i))) ? 1 : 0;
    }
  }

  double predictor(const MixtureLayout& layout, const std::vector<double>& theta,
                   std::size_t i) const {
    const auto affine = [&](std::size_t at, int first, int count) {
      double sum = theta[at + count];
      for (int j = 0; j < count; ++j) sum += theta[at + j] * columns[first + j][i];
      return sum;
    };
    double total = 0;
    double mixed = 0;
    for (int k = 0; k < kExperts; ++k) {
      const double share = k + 1 < kExperts ? std::exp(affine(layout.gate(k), 0, kContexts)) : 1;
      total += share;
      mixed += share * affine(layout.expert(k), kContexts, kFactors);
    }
    return affine(layout.baseline(), 0, kContexts) + mixed / total;
  }

  LoggedData log() const {
    std::vector<NamedColumn> contexts;
    std::vector<NamedColumn> factors;
    for (int j = 0; j < kContexts; ++j)
      contexts.push_back({.name = fmt::format("x{}", j + 1), .numbers = columns[j]});
    for (int j = 0; j < kFactors; ++j) {
      factors.push_back({.name = fmt::format("z{}", j + 1), .numbers = columns[kContexts + j]});
    }
    return make_log(contexts, factors, outcomes);
  }
};

void million_rows() {
  const LoggedData log = Million().log();
  const Problem problem = whole_problem(log);
  const int threads = hardware_threads();
  const PooledFit pooled = fit_pooled(problem, threads);
  const SpectralStart spectral(problem, pooled.fit.theta);
  const MixtureLayout layout = problem.layout(Million::kExperts);
  Penalty penalty = pooled.penalty;
  const auto fit_with = [&](bool polish) {
    return fit_mixture(problem, penalty, layout, spectral.start(Million::kExperts),
                       {threads, polish});
  };
  MixtureFit once;
  const double seconds = bench::best_seconds([&] { once = fit_with(false); }, 0.1);
  const MixtureFit exact = fit_with(true);
  // The objective of the rough fit was computed in f32, so both are evaluated again in f64.
  const auto objective = [&](const MixtureFit& fit) {
    std::vector<double> unused(layout.size(), 0.0);
    return mean_loss(problem, layout, fit.theta, threads) +
           penalty.add(layout, fit.theta, unused) / problem.rows.total();
  };
  const double gap = (objective(once) - objective(exact)) / std::abs(objective(exact));
  fmt::print(
      "\none fit, n=10^6 p=20 J=10 K=5, {} threads: {} passes over all rows (bar: 25), relative "
      "loss gap {:.1e} (bar: "
      "1e-6), {:.3f} s\n",
      threads, once.evaluations, gap, seconds);

  const double whole = bench::best_seconds([&] { fit(log); }, 0.0);
  fmt::print(
      "default otss fit of the same rows in memory: {:.2f} s, {:.1f} x the one fit (bar: 5)\n",
      whole, whole / seconds);
}

}  // namespace

int main(int argc, char** argv) {
  small_fit(argc == 3 && std::strcmp(argv[1], "--log") == 0 ? argv[2] : nullptr);
  million_rows();
}
