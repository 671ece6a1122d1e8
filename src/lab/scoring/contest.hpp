// Several ways to fit, on the same simulated logs under one protocol, scored against the truth.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bootstrap.hpp"
#include "lab/scoring/scorecard.hpp"
#include "learn/comparison_fit.hpp"
#include "otss/learn/fit.hpp"

namespace otss {

struct Entrant {
  std::string name;
  FitOptions options;
};

inline constexpr const char* kOracleGate = "oracle-gate";

struct MethodResult {
  std::string method;
  Scorecard measured;
};

// Every entrant on the log of one simulation, one after the other on one thread; then the oracle
// gate, on the same rows as they.
std::vector<MethodResult> run_entrants(const Simulation& simulation,
                                       const std::vector<Entrant>& entrants,
                                       const ComparisonProtocol& protocol);

// The results of many seeds, and what they say together.
struct Contest {
  std::vector<std::string> names;
  std::vector<std::vector<Scorecard>> scores;  // name × seed
  std::size_t reference = 0;                   // the name the others are compared with

  void add(const std::vector<MethodResult>& seed);   // names must be the same for every seed
  std::size_t index(const std::string& name) const;  // names.size() where there is none

  std::vector<double> values(std::size_t name, double Scorecard::*field) const;
  double mean(std::size_t name, double Scorecard::*field) const;
  double deviation(std::size_t name, double Scorecard::*field) const;

  // The reference minus this one: mean over seeds, with a 95 % paired bootstrap interval.
  double difference(std::size_t name, double Scorecard::*field) const;
  Interval difference_interval(std::size_t name, double Scorecard::*field) const;
};

using Simulate = std::function<Simulation(std::uint64_t seed)>;

// Seeds run in parallel; scores do not depend on the number of threads. All rows are fitted on.
Contest run_contest(const Simulate& simulate, const std::vector<Entrant>& entrants,
                    std::uint64_t first_seed, int num_seeds, int num_threads);

}  // namespace otss
