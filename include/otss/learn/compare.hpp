// Tests whether soft segmentation improves predictions on this log: fits every method on the same
// rows and evaluates all of them on test rows that no method was fitted on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "otss/data/logged_data.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/diagnostics.hpp"

namespace otss {

struct CompareOptions {
  std::vector<Method> methods;  // empty: every method
  FitOptions otss;  // how OTSS is fitted; the other methods take family, seed and threads from here
  double test = 0.2;        // share of all rows used as test rows
  double validation = 0.2;  // share of the rows that are not test rows, used to choose settings
  bool refit = false;  // refit every method on training and validation rows with its chosen setting
};

struct ComparedMethod {
  Method method = Method::kOtss;
  PredictionQuality quality;    // on the test rows
  std::optional<GateUse> gate;  // on the test rows; empty for a method without a gate
  double seconds = 0;
  // Mean log-loss of OTSS per test row minus the mean log-loss of this method, and the ends of its
  // 95 % paired bootstrap interval.
  double difference = 0, difference_lo = 0, difference_hi = 0;
};

struct Comparison {
  std::size_t training_rows = 0, validation_rows = 0, test_rows = 0;
  std::vector<ComparedMethod> methods;  // the lowest log-loss first
  bool supported = false;  // true if the whole interval of OTSS minus pooled is below 0
  std::string verdict;     // one sentence that says what `supported` is, with the numbers
};

Comparison compare(const LoggedData& log, const CompareOptions& options,
                   const Progress& progress = {});

}  // namespace otss
