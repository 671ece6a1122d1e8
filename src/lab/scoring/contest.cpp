#include "lab/scoring/contest.hpp"

#include <chrono>
#include <cmath>
#include <stdexcept>

#include "base/threads.hpp"
#include "lab/worlds/truth.hpp"

namespace otss::internal {

std::vector<MethodResult> run_entrants(const Simulation& simulation,
                                       const std::vector<Entrant>& entrants,
                                       const ComparisonProtocol& protocol) {
  const LoggedData log = training_log(simulation);
  const int threads = threads_of_this_loop();
  std::vector<MethodResult> results(entrants.size() + 1);
  parallel_for(entrants.size(), threads, [&](std::size_t e) {
    FitOptions options = entrants[e].options;
    options.threads = threads;
    const auto begin = std::chrono::steady_clock::now();
    const Fitted fitted = fit_for_comparison(log, options, protocol);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    results[e] = {entrants[e].name, measure(simulation, fitted)};
    results[e].measured.seconds = taken.count();
  });
  const auto rows = fitted_rows(log, FitOptions{}.seed, protocol);
  results.back() = {kOracleGate, measure_oracle(simulation, oracle_gate_weights(simulation, rows))};
  return results;
}

void Contest::add(const std::vector<MethodResult>& seed) {
  if (names.empty()) {
    for (const MethodResult& result : seed) names.push_back(result.method);
    scores.resize(names.size());
  }
  for (std::size_t e = 0; e < seed.size(); ++e) {
    if (names.at(e) != seed[e].method)
      throw std::logic_error(
          "Contest::add: the methods differ from those of the first seed; "
          "give every seed the same methods");
    scores[e].push_back(seed[e].measured);
  }
}

std::size_t Contest::index(const std::string& name) const {
  return std::ranges::find(names, name) - names.begin();
}

std::vector<double> Contest::values(std::size_t name, double Scorecard::*field) const {
  std::vector<double> result;
  for (const Scorecard& score : scores[name]) result.push_back(score.*field);
  return result;
}

double Contest::mean(std::size_t name, double Scorecard::*field) const {
  double sum = 0;
  for (const double v : values(name, field)) sum += v;
  return sum / static_cast<double>(scores[name].size());
}

double Contest::deviation(std::size_t name, double Scorecard::*field) const {
  const double center = mean(name, field);
  double squares = 0;
  for (const double v : values(name, field)) squares += (v - center) * (v - center);
  return std::sqrt(squares /
                   static_cast<double>(std::max<std::size_t>(1, scores[name].size() - 1)));
}

double Contest::difference(std::size_t name, double Scorecard::*field) const {
  return mean(reference, field) - mean(name, field);
}

Interval Contest::difference_interval(std::size_t name, double Scorecard::*field) const {
  std::vector<double> differences = values(reference, field);
  const std::vector<double> other = values(name, field);
  for (std::size_t i = 0; i < other.size(); ++i) differences[i] -= other[i];
  return bootstrap_ratio(differences, {});
}

Contest run_contest(const Simulate& simulate, const std::vector<Entrant>& entrants,
                    std::uint64_t first_seed, int num_seeds, int num_threads) {
  std::vector<std::vector<MethodResult>> results(num_seeds);
  parallel_for(num_seeds, num_threads, [&](std::size_t i) {
    results[i] = run_entrants(simulate(first_seed + i), entrants, {.refit = true});
  });
  Contest contest;
  for (const auto& seed : results) contest.add(seed);
  return contest;
}

}  // namespace otss::internal
