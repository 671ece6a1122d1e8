// Tests whether soft segmentation improves predictions on a log. Fits every method on the same rows
// and evaluates all methods on test rows that no method was fitted on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "otss/data/logged_data.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/diagnostics.hpp"

namespace otss {

struct CompareOptions {
  std::vector<Method> methods;  // methods to compare; empty: every method
  // The options of OTSS. The other methods use only family, seed and threads of these options.
  FitOptions otss;
  double test = 0.2;        // this share of all rows becomes test rows
  double validation = 0.2;  // settings are chosen on this share of the rows that are not test rows
  bool refit = false;       // if true, every method is refitted on training and validation rows
  // The number of splits into training and test rows, at most kMostRepeats. Split r uses the seed
  // otss.seed + r. A log with times has only one split, so more are an Error(kUsage).
  int repeats = 1;
  static constexpr int kMostRepeats = 1000;
};

// What several splits say about one method. Standard error and interval account for the training
// rows that the splits share (Nadeau & Bengio 2003).
struct RepeatedScore {
  double standard_error = 0;  // of the mean log-loss over the splits
  // The log-loss of this method minus that of the method with the lowest mean log-loss, on the same
  // test rows: the mean over the splits and the ends of its 95 % interval. All are 0 for the best
  // method itself.
  double behind_best = 0, behind_best_lo = 0, behind_best_hi = 0;
};

// With several splits, all numbers are means over the splits.
struct ComparedMethod {
  Method method = Method::kOtss;
  PredictionQuality quality;  // quality of the predictions of the test rows
  // Shares in the test rows; empty for a method without a gate. With several splits, GateUse::usage
  // is empty, because the experts of different splits have no common order.
  std::optional<GateUse> gate;
  double seconds = 0;
  // The mean log-loss of OTSS per test row minus the mean log-loss of this method, and the ends of
  // the 95 % interval of this difference: a paired bootstrap interval with one split, and with
  // several splits an interval that is corrected like RepeatedScore.
  double difference = 0, difference_lo = 0, difference_hi = 0;
  std::optional<RepeatedScore> repeated;  // absent with one split
};

struct Comparison {
  // The numbers of rows of the first split. Other splits differ from it only if groups are held out.
  std::size_t training_rows = 0, validation_rows = 0, test_rows = 0;
  int repeats = 1;                      // the number of splits
  std::vector<ComparedMethod> methods;  // the lowest log-loss first
  bool supported = false;               // true if difference_hi of the pooled method is below 0
  std::string verdict;  // a sentence that says whether the log supports OTSS, with the numbers
};

Comparison compare(const LoggedData& log, const CompareOptions& options,
                   const Progress& progress = {});

}  // namespace otss
