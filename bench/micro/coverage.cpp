// Counts how often intervals cover the truth and certificates are right, on simulated logs.
//
//   coverage FIRST_SEED SEEDS N ESTIMATOR EXPERTS [STUDY]
//
// ESTIMATOR: auto, map, bayes; EXPERTS: auto or a number; STUDY: overlap (panel A), soft (panel B),
// pooled. Intervals and certificates are at 90 %.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "base/threads.hpp"
#include "lab/worlds/simulation.hpp"
#include "otss/decide/certify.hpp"
#include "otss/decide/decider.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/uncertainty.hpp"

namespace {

using namespace otss;
using namespace otss::internal;

constexpr double kLevel = 0.9;
// Test contexts per seed; more would not help, because the variation between seeds is much larger.
constexpr std::size_t kContexts = 400;

Simulation simulate(const std::string& study, int n, std::uint64_t seed) {
  if (study == "soft") return simulate_matched({.n = n, .seed = seed});
  if (study == "pooled") return simulate_pooled({.n = n, .seed = seed});
  return simulate_overlap({.n = n, .seed = seed});
}

struct Counts {
  double covered = 0, covered_together = 0;  // single intervals; all intervals of a context
  double width = 0, width_together = 0;
  double certified = 0, certified_wrongly = 0;
  double by_margin = 0, by_margin_wrongly = 0;  // certified by the margin condition
  double regret = 0, regret_bound = 0, above_bound = 0;
  double expected_regret = 0, optimal = 0, probability_optimal = 0;
  double seconds = 0;

  void add(const Counts& other, double weight) {
    for (double Counts::*field :
         {&Counts::covered, &Counts::covered_together, &Counts::width, &Counts::width_together,
          &Counts::certified, &Counts::certified_wrongly, &Counts::by_margin,
          &Counts::by_margin_wrongly, &Counts::regret, &Counts::regret_bound, &Counts::above_bound,
          &Counts::expected_regret, &Counts::optimal, &Counts::probability_optimal,
          &Counts::seconds})
      this->*field += weight * other.*field;
  }
};

std::vector<double> test_contexts(const Simulation& simulation, const Fitted& fitted) {
  const std::size_t p = fitted.num_contexts();
  const std::size_t rows = std::min(kContexts, simulation.test.num_rows);
  std::vector<double> x(rows * p);
  for (std::size_t i = 0; i < rows; ++i) {
    const double* raw = &simulation.test.contexts[i * simulation.num_contexts];
    fitted.encoder().encode(std::vector<RawValue>(raw, raw + simulation.num_contexts),
                            std::span(x).subspan(i * p, p));
  }
  return x;
}

double score(std::span<const double> w, std::span<const double> z) {
  double sum = 0;
  for (std::size_t j = 0; j < w.size(); ++j) sum += w[j] * z[j];
  return sum;
}

Counts intervals_of(const Fitted& fitted, std::span<const double> x,
                    std::span<const double> truth) {
  const std::size_t num_factors = truth.size();
  const auto share = [](double count, std::size_t of) { return count / static_cast<double>(of); };
  std::vector<double> lo(num_factors), hi(num_factors);
  Counts counts;
  fitted.intervals(x, kLevel, lo, hi);
  for (std::size_t j = 0; j < num_factors; ++j) {
    counts.covered += share(lo[j] <= truth[j] && truth[j] <= hi[j] ? 1 : 0, num_factors);
    counts.width += share(hi[j] - lo[j], num_factors);
  }
  fitted.intervals(x, kLevel, lo, hi, Coverage::kAllFactors);
  counts.covered_together = 1;
  for (std::size_t j = 0; j < num_factors; ++j) {
    if (truth[j] < lo[j] || truth[j] > hi[j]) counts.covered_together = 0;
    counts.width_together += share(hi[j] - lo[j], num_factors);
  }
  return counts;
}

Counts certificate_of(const Certificate& certificate, const Decision& decision,
                      const FeasibleSet& library, std::span<const double> truth) {
  double best = -1e300;
  for (std::size_t d = 0; d < library.size(); ++d)
    best = std::max(best, score(truth, library.factors_of(d)));
  const double regret = best - score(truth, library.factors_of(decision.index));
  constexpr double kRounding = 1e-12;
  const bool wrong = regret > kRounding;
  Counts counts;
  counts.certified = certificate.certified;
  counts.certified_wrongly = certificate.certified && wrong;
  counts.by_margin = decision.margin > 2 * certificate.score_error;
  counts.by_margin_wrongly = counts.by_margin != 0 && wrong;
  counts.regret = regret;
  counts.regret_bound = certificate.regret_bound;
  counts.above_bound = regret > certificate.regret_bound + kRounding;
  counts.expected_regret = certificate.expected_regret;
  counts.optimal = !wrong;
  counts.probability_optimal = certificate.probability_optimal;
  return counts;
}

Counts one_seed(const Simulation& simulation, const FitOptions& options) {
  const Fitted fitted = fit(training_log(simulation), options);
  const std::vector<double> x = test_contexts(simulation, fitted);
  const std::size_t rows = std::min(kContexts, simulation.test.num_rows);
  const Contexts contexts{rows, x};
  const std::vector<Decision> decisions = decide(fitted.scorer(), contexts, simulation.library);
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Certificate> certificates = certify(
      fitted, contexts, decisions, simulation.library, {.level = kLevel, .score_error = true});
  Counts counts;
  counts.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t p = fitted.num_contexts();
    const auto truth = std::span(simulation.test.weights)
                           .subspan(i * simulation.num_factors, simulation.num_factors);
    counts.add(intervals_of(fitted, std::span(x).subspan(i * p, p), truth),
               1 / static_cast<double>(rows));
    counts.add(certificate_of(certificates[i], decisions[i], simulation.library, truth),
               1 / static_cast<double>(rows));
  }
  counts.seconds /= static_cast<double>(rows);
  return counts;
}

void print(const Counts& mean) {
  const auto line = [](const char* what, double value) {
    fmt::print("{:<52}{:.4f}\n", what, value);
  };
  line("coverage of an interval", mean.covered);
  line("coverage of all intervals of a context", mean.covered_together);
  line("width of an interval", mean.width);
  line("width of a simultaneous interval", mean.width_together);
  line("share of decisions certified", mean.certified);
  line("share of wrong ones among them", mean.certified_wrongly / std::max(mean.certified, 1e-12));
  line("share certified by the margin condition", mean.by_margin);
  line("share of wrong ones among them", mean.by_margin_wrongly / std::max(mean.by_margin, 1e-12));
  line("regret", mean.regret);
  line("expected regret", mean.expected_regret);
  line("regret bound", mean.regret_bound);
  line("share with regret above the bound", mean.above_bound);
  line("share of optimal decisions", mean.optimal);
  line("mean probability of being optimal", mean.probability_optimal);
  line("microseconds to certify a context", 1e6 * mean.seconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    fmt::print(stderr, "usage: coverage FIRST_SEED SEEDS N ESTIMATOR EXPERTS [STUDY]\n");
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const int seeds = std::atoi(argv[2]);
  const std::string study = argc > 6 ? argv[6] : "overlap";
  FitOptions options;
  options.threads = 1;
  options.estimator = parse_word<Estimator>(argv[4]).value();
  if (std::string(argv[5]) != "auto") options.experts = std::atoi(argv[5]);
  std::vector<Counts> per_seed(seeds);
  parallel_for(seeds, hardware_threads(), [&](std::size_t i) {
    per_seed[i] = one_seed(simulate(study, std::atoi(argv[3]), first + i), options);
  });
  Counts mean;
  for (const Counts& counts : per_seed) mean.add(counts, 1.0 / seeds);
  fmt::print("{}, n = {}, estimator {}, experts {}, {} seeds from {}\n", study, argv[3], argv[4],
             argv[5], seeds, first);
  print(mean);
}
