// Several ways to fit, on the same simulated logs and all their rows, scored against the truth.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bootstrap.hpp"
#include "lab/truth.hpp"
#include "otss/learn/fit.hpp"

namespace otss {

struct Entrant {
  std::string name;
  FitOptions options;
};

struct ContestScore {
  TruthScore truth;
  double seconds = 0;
  bool heterogeneity_supported = false;
};

struct Contest {
  std::vector<std::string> names;                 // the entrants, then "oracle gate"
  std::vector<std::vector<ContestScore>> scores;  // name × seed

  double mean(std::size_t name, double TruthScore::*field) const;
  double deviation(std::size_t name, double TruthScore::*field) const;

  // First entrant minus this one: mean over seeds, with a 95 % paired bootstrap interval.
  double difference(std::size_t name, double TruthScore::*field) const;
  Interval difference_interval(std::size_t name, double TruthScore::*field) const;
};

// Seeds run in parallel, each fit on one thread; scores do not depend on the number of threads.
Contest run_contest(const std::function<Simulation(std::uint64_t seed)>& simulate,
                    const std::vector<Entrant>& entrants, std::uint64_t first_seed, int num_seeds,
                    int num_threads);

}  // namespace otss
