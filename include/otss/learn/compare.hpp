// Is soft segmentation worth it on this log? Every method on the same rows, judged on rows none of
// them has seen.
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
  FitOptions otss;              // how OTSS itself is fitted; seed and threads are everybody's
  double test = 0.2;            // share of the rows that judge
  double validation = 0.2;      // share of the others that choose settings
  bool refit = false;           // every method on training and validation rows, once chosen
};

struct ComparedMethod {
  Method method = Method::kOtss;
  PredictionQuality quality;    // on the test rows
  std::optional<GateUse> gate;  // there too; none where there is no gate
  double seconds = 0;
  // OTSS minus this method, mean log-loss of a test row, with a 95 % paired bootstrap interval.
  double difference = 0, difference_lo = 0, difference_hi = 0;
};

struct Comparison {
  std::size_t training_rows = 0, validation_rows = 0, test_rows = 0;
  std::vector<ComparedMethod> methods;  // the lowest log-loss first
  bool supported = false;               // OTSS is better than pooled beyond the interval
  std::string verdict;                  // one sentence
};

Comparison compare(const LoggedData& log, const CompareOptions& options,
                   const Progress& progress = {});

}  // namespace otss
