// Loads and simulates the retail study on the data set "The Complete Journey". Contexts, library
// and factors come from the tables of a grocer; the weights and outcomes are simulated, so that
// regret is exact (docs/method.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/worlds/simulation.hpp"

namespace otss::internal {

struct JourneySizes {
  std::size_t train_rows = 5000;
  std::size_t test_rows = 3000;
  std::size_t library = 100;
};

// Rows of the study. There is one row per household and week; rows are sorted by household, then by
// week.
struct JourneyRows {
  std::vector<double> households, weeks;
  std::vector<double> contexts;  // rows × p, standardised on the training rows, clipped to ±3
  // In every row, all bundles of the library are feasible. Their factors depend on the row. The
  // factors are standardised over all pairs of a training row and a bundle, and clipped to ±3.
  FeasibleSet decisions;

  std::size_t num_rows() const { return households.size(); }
};

// The number of rows that remain after each step of the derivation.
struct JourneyCounts {
  std::size_t transactions = 0, with_product = 0, sold = 0, sold_breakfast = 0, lines = 0;
  // The number of contexts, and of households, with enough earlier purchases.
  std::size_t contexts = 0, households = 0;
  // The number of contexts, and of households, for which demographics are known too.
  std::size_t described_contexts = 0, described_households = 0;
  std::size_t bundle_weeks = 0, bundles = 0;
  // The number of contexts from which training and test rows are drawn: contexts with known
  // demographics that are not the source of a bundle, at most 12 per household.
  std::size_t eligible = 0;
};

struct JourneyData {
  std::vector<std::string> context_names;  // 54 names
  std::vector<std::string> factor_names;   // see factors.hpp
  std::vector<std::string> library;        // the items of each bundle, "banana+bread_wheat+eggs"
  JourneyRows train, test;
  JourneyCounts counts;
};

// Reads the tables of the R package completejourney and our two tables on breakfast from a folder.
// Each table is a CSV, CSV.gz or Parquet file that has the table's name. If a table is missing,
// throws an Error that says what to add.
JourneyData load_journey(const std::string& folder, const JourneySizes& sizes = {});

// Does the same for `count` libraries. The first one is that of load_journey(); the bundles of the
// others are drawn at random.
std::vector<JourneyData> load_journey_libraries(const std::string& folder, std::size_t count,
                                                const JourneySizes& sizes = {});

// Where the two experts come from.
enum class JourneyBank {
  kGiven,  // the same experts for every seed: value and family, quality and health
  kDrawn   // two random directions for each seed, with the norms of the given experts
};

struct JourneySpec {
  double tau = 1.2;      // the share of the first expert is logistic(tau s(x)), s the gate's score
  double logging = 1.0;  // the logging policy chooses d with probability ∝ exp(logging habit(x, d))
  JourneyBank bank = JourneyBank::kGiven;
};

// Simulates outcomes with two experts. The gate's score is the sum of a fixed combination of
// context columns and a random linear function of the context. The logging policy prefers bundles
// with a high habit factor. The seed determines the random function, a drawn bank, the logged
// decisions and the outcomes, but not rows and factors. The factors are not copied: the result shares them with
// `data`.
Simulation simulate_journey(const JourneyData& data, std::uint64_t seed,
                            const JourneySpec& spec = {});

}  // namespace otss::internal
