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
};

struct ComparedMethod {
  Method method = Method::kOtss;
  PredictionQuality quality;    // quality of the predictions of the test rows
  std::optional<GateUse> gate;  // shares in the test rows; empty for a method without a gate
  double seconds = 0;
  // The mean log-loss of OTSS per test row minus the mean log-loss of this method, and the ends of
  // the 95 % paired bootstrap interval of this difference.
  double difference = 0, difference_lo = 0, difference_hi = 0;
};

struct Comparison {
  std::size_t training_rows = 0, validation_rows = 0, test_rows = 0;
  std::vector<ComparedMethod> methods;  // the lowest log-loss first
  bool supported = false;               // true if difference_hi of the pooled method is below 0
  std::string verdict;  // a sentence that says whether the log supports OTSS, with the numbers
};

Comparison compare(const LoggedData& log, const CompareOptions& options,
                   const Progress& progress = {});

}  // namespace otss
