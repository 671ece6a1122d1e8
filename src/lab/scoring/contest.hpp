// Runs contests. In a contest, several methods are fitted to the same simulated logs, in the same
// way, and measured against the true weights (scorecard.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bootstrap.hpp"
#include "lab/scoring/scorecard.hpp"
#include "learn/comparison_fit.hpp"
#include "otss/learn/fit.hpp"

namespace otss::internal {

// A method that takes part in a contest: its name in tables and how it is fitted.
struct Entrant {
  std::string name;
  FitOptions options;
  // What is done with the settings; if absent, customary_treatment().
  std::optional<Treatment> treatment = {};
  // If true, the method is fitted on the training rows only, even where the others are refitted.
  bool training_rows_only = false;
  // If true, the contest also has the result of known_outcome.hpp. Only for the method em.
  bool with_known_outcome = false;
};

// The name that the results give to the oracle gate, the fit that is given the true shares.
inline constexpr const char* kOracleGate = "oracle-gate";

// Results that know the outcome of the test row have this at the end of their names.
inline constexpr const char* kKnownOutcome = "-known-outcome";

// The program and the machine that made a result.
struct MadeBy {
  std::string version;  // of otss; empty until a study records all three
  std::string machine;  // the name of the processor
  std::string kernels;  // the instruction set of the vector kernels, such as "avx2"
};

// The measurements of one method on one simulated log.
struct MethodResult {
  std::string method;
  Scorecard measured;
  MadeBy made_by = {};
};

std::vector<std::string> method_names(const std::vector<MethodResult>& results);

// Fits every entrant to the log of one simulation and measures each fitted model. Inside a parallel
// loop, the fits are tasks of this loop. Outside, they run one after the other, on one thread, so
// that their times can be compared. The treatment of `protocol` is not used, because each entrant
// has its own.
std::vector<MethodResult> fit_entrants(const Simulation& simulation,
                                       const std::vector<Entrant>& entrants,
                                       const ComparisonProtocol& protocol);

// Does the same, and adds the result of the oracle gate, fitted to the same rows. The true weights
// must be a mixture of the experts.
std::vector<MethodResult> run_entrants(const Simulation& simulation,
                                       const std::vector<Entrant>& entrants,
                                       const ComparisonProtocol& protocol);

// Holds the results of many seeds and computes their means.
struct Contest {
  std::vector<std::string> names;
  std::vector<std::vector<Scorecard>> scores;  // scores[method][seed]
  std::size_t reference = 0;  // index of the method with which the other methods are compared
  // If not empty, it replaces `reference`: references[m] is the index of the method with which
  // method m is compared.
  std::vector<std::size_t> references = {};
  std::uint64_t first_seed = 0;  // scores[method][i] belongs to the seed first_seed + i

  void add(const std::vector<MethodResult>& seed);   // the methods must be the same for every seed
  std::size_t index(const std::string& name) const;  // names.size() if there is no such method

  // These functions read one field of the scorecards of method number `name`. They return the value
  // of the field for each seed, the mean of these values, and their standard deviation.
  std::vector<double> values(std::size_t name, double Scorecard::*field) const;
  double mean(std::size_t name, double Scorecard::*field) const;
  double deviation(std::size_t name, double Scorecard::*field) const;

  // Returns the index of the method with which method number `name` is compared.
  std::size_t reference_of(std::size_t name) const;

  // For each seed, the field of method number `name` is subtracted from the field of method number
  // `base`. These functions return the mean of the differences over the seeds, and the interval of
  // this mean (seed_interval).
  double difference(std::size_t base, std::size_t name, double Scorecard::*field) const;
  Interval difference_interval(std::size_t base, std::size_t name, double Scorecard::*field) const;
  // The same for base = reference_of(name).
  double difference(std::size_t name, double Scorecard::*field) const;
  Interval difference_interval(std::size_t name, double Scorecard::*field) const;
};

// There is no interval over fewer seeds than this: its coverage would not be known.
inline constexpr std::size_t kLeastSeeds = 5;

// Returns the 95 % bootstrap interval (BCa) of the mean over seeds. Both ends are NaN if there are
// fewer than kLeastSeeds seeds, or if a value is NaN.
Interval seed_interval(std::span<const double> values);

// Returns the simulated log that belongs to a seed.
using Simulate = std::function<Simulation(std::uint64_t seed)>;

// Runs `num_seeds` seeds in parallel; the results do not depend on the number of threads. Each
// method first chooses its settings and is then fitted on training and validation rows together.
Contest run_contest(const Simulate& simulate, const std::vector<Entrant>& entrants,
                    std::uint64_t first_seed, int num_seeds, int num_threads);

}  // namespace otss::internal
