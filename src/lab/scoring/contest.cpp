#include "lab/scoring/contest.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "base/threads.hpp"
#include "lab/scoring/known_outcome.hpp"
#include "lab/worlds/oracle_gate.hpp"

namespace otss::internal {

std::vector<MethodResult> fit_entrants(const Simulation& simulation,
                                       const std::vector<Entrant>& entrants,
                                       const ComparisonProtocol& protocol) {
  const LoggedData log = training_log(simulation);
  const int threads = threads_of_this_loop();
  std::vector<std::vector<MethodResult>> of_entrants(entrants.size());
  parallel_for(entrants.size(), threads, [&](std::size_t e) {
    const Entrant& entrant = entrants[e];
    FitOptions options = entrant.options;
    options.threads = threads;
    ComparisonProtocol own = protocol;
    own.treatment = entrant.treatment.value_or(customary_treatment(options));
    own.refit = protocol.refit && !entrant.training_rows_only;
    const auto begin = std::chrono::steady_clock::now();
    const Fitted fitted = fit_for_comparison(log, options, own);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    of_entrants[e].push_back({entrant.name, measure(simulation, fitted)});
    of_entrants[e].back().measured.seconds = taken.count();
    if (entrant.with_known_outcome)
      of_entrants[e].push_back(
          {entrant.name + kKnownOutcome,
           measure_weights(simulation, known_outcome_weights(simulation, fitted))});
  });
  std::vector<MethodResult> results;
  for (auto& of_entrant : of_entrants)
    results.insert(results.end(), of_entrant.begin(), of_entrant.end());
  return results;
}

std::vector<MethodResult> run_entrants(const Simulation& simulation,
                                       const std::vector<Entrant>& entrants,
                                       const ComparisonProtocol& protocol) {
  std::vector<MethodResult> results = fit_entrants(simulation, entrants, protocol);
  const auto rows = fitted_rows(training_log(simulation), FitOptions{}.seed, protocol);
  results.push_back(
      {kOracleGate, measure_oracle(simulation, oracle_gate_weights(simulation, rows))});
  return results;
}

std::vector<std::string> method_names(const std::vector<MethodResult>& results) {
  std::vector<std::string> names;
  for (const MethodResult& result : results) names.push_back(result.method);
  return names;
}

void Contest::add(const std::vector<MethodResult>& seed) {
  if (names.empty()) {
    names = method_names(seed);
    scores.resize(names.size());
  }
  if (names != method_names(seed))
    throw std::logic_error(
        "Contest::add: the methods differ from those of the first seed; "
        "give every seed the same methods");
  for (std::size_t e = 0; e < seed.size(); ++e) scores[e].push_back(seed[e].measured);
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

std::size_t Contest::reference_of(std::size_t name) const {
  return references.empty() ? reference : references[name];
}

double Contest::difference(std::size_t base, std::size_t name, double Scorecard::*field) const {
  return mean(base, field) - mean(name, field);
}

Interval Contest::difference_interval(std::size_t base, std::size_t name,
                                      double Scorecard::*field) const {
  std::vector<double> differences = values(base, field);
  const std::vector<double> other = values(name, field);
  for (std::size_t i = 0; i < other.size(); ++i) differences[i] -= other[i];
  return seed_interval(differences);
}

double Contest::difference(std::size_t name, double Scorecard::*field) const {
  return difference(reference_of(name), name, field);
}

Interval Contest::difference_interval(std::size_t name, double Scorecard::*field) const {
  return difference_interval(reference_of(name), name, field);
}

Interval seed_interval(std::span<const double> values) {
  const bool known = std::ranges::none_of(values, [](double v) { return std::isnan(v); });
  if (values.size() < kLeastSeeds || !known) return {Scorecard::kNone, Scorecard::kNone};
  return bca_interval(values);
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
