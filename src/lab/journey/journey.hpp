// The Complete Journey retail study: contexts, library and factors from the tables of a grocer; the
// trade-offs behind the outcomes are ours, so that regret is exact (docs/method.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/worlds/simulation.hpp"

namespace otss {

struct JourneySizes {
  std::size_t train_rows = 5000;
  std::size_t test_rows = 3000;
  std::size_t library = 100;
};

// A household in a week, many times over; ordered by household, then by week.
struct JourneyRows {
  std::vector<double> households, weeks;
  std::vector<double> contexts;  // rows × p, standardised on the training rows, within ±3
  // The library in each row; factors standardised over the training rows and the library, within
  // ±3.
  FeasibleSet decisions;

  std::size_t num_rows() const { return households.size(); }
};

// What is left of the tables after each step of the derivation.
struct JourneyCounts {
  std::size_t transactions = 0, with_product = 0, sold = 0, sold_breakfast = 0, lines = 0;
  std::size_t contexts = 0, households = 0;                      // with enough history
  std::size_t described_contexts = 0, described_households = 0;  // and with demographics
  std::size_t bundle_weeks = 0, bundles = 0;
  std::size_t eligible = 0;  // described, at most 12 per household, no source of a bundle
};

struct JourneyData {
  std::vector<std::string> context_names;  // 54
  std::vector<std::string> factor_names;   // afford … kid are the decision's own; habit … novel
                                           // depend on the context too
  std::vector<std::string> library;        // the items of each bundle, "banana+bread_wheat+eggs"
  JourneyRows train, test;
  JourneyCounts counts;
};

// Reads the tables of the R package completejourney, and our two on breakfast, from a folder: CSV,
// CSV.gz or Parquet, named after the table. What is missing there is an Error saying what to put.
JourneyData load_journey(const std::string& folder, const JourneySizes& sizes = {});

// Two experts, a gate that is half known columns and half a random direction, and a log that
// follows habit. The seed draws the direction, the logged decisions and the outcomes; rows and
// factors stay. The simulation shares its factors with `data`.
Simulation simulate_journey(const JourneyData& data, std::uint64_t seed);

}  // namespace otss
