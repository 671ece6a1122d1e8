// This header tests whether soft segmentation improves predictions on a log. It fits every method
// on the same rows, and evaluates all methods on test rows that no method was fitted on.
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
  // The treatments of the settings, kPick or kAverage. Each method is fitted with each of them. With
  // kPick, one setting is picked by its loss on the validation rows, as in the paper. With kAverage,
  // all settings are averaged, with weights by cross-validation on the rows that the method is
  // fitted on. The pooled model has no settings to choose from, and is fitted once.
  std::vector<Treatment> treatments = {Treatment::kPick, Treatment::kAverage};
  // The options of OTSS. The other methods use only family, seed and threads of these options.
  FitOptions otss;
  double test = 0.2;  // this share of all rows becomes test rows
  // This share of the rows that are not test rows are the validation rows, on which a setting is
  // picked.
  double validation = 0.2;
  bool refit = false;  // if true, every method is refitted on training and validation rows
  // The number of splits into training and test rows, at most kMostRepeats. Split r uses the seed
  // otss.seed + r. A log with times has only one split, so a larger number is an Error(kUsage).
  int repeats = 1;
  static constexpr int kMostRepeats = 1000;
};

// The measures of one method that need several splits. The standard error and the interval account
// for the training rows that the splits share (Nadeau & Bengio 2003).
struct RepeatedScore {
  double standard_error = 0;  // the standard error of the mean log-loss over the splits
  // The log-loss of this method minus the log-loss of the best method, which has the lowest mean
  // log-loss: the mean over the splits, and the ends of the 95 % interval of this mean. Both
  // methods are compared on the same test rows. All three numbers are 0 for the best method itself.
  double behind_best = 0, behind_best_lo = 0, behind_best_hi = 0;
};

// With several splits, all numbers are means over the splits.
struct ComparedMethod {
  Method method = Method::kOtss;
  std::optional<Treatment> treatment;  // how settings were treated; absent for the pooled model
  // Returns a name that no other row of the comparison has: that of the method, and also that of the
  // treatment unless it is the one that `fit` has by default. Examples are "em" and "em-average".
  std::string name() const;
  PredictionQuality quality;  // quality of the predictions of the test rows
  // Shares in the test rows; empty for a method without a gate. With several splits, GateUse::usage
  // is empty, because the experts of different splits have no common order.
  std::optional<GateUse> gate;
  // Time from the beginning of the choice of settings to the end of the fit. Several methods may be
  // fitted at the same time, so that each takes longer than it would alone.
  double seconds = 0;
  // The mean log-loss of OTSS per test row minus the mean log-loss of this method, and the ends of
  // the 95 % interval of this difference. OTSS has the same treatment as the method. The pooled
  // model is compared with the last of CompareOptions::treatments. With one split, this is a paired bootstrap interval. With
  // several splits, the interval is corrected as in RepeatedScore.
  double difference = 0, difference_lo = 0, difference_hi = 0;
  std::optional<RepeatedScore> repeated;  // absent with one split
};

struct Comparison {
  // The numbers of rows in the first split. Other splits can have other numbers of rows only if
  // whole groups are held out.
  std::size_t training_rows = 0, validation_rows = 0, test_rows = 0;
  int repeats = 1;                      // the number of splits
  std::vector<ComparedMethod> methods;  // the lowest log-loss first
  bool supported = false;               // true if difference_hi of the pooled method is below 0
  std::string verdict;  // a sentence that says whether the log supports OTSS, with the numbers
};

Comparison compare(const LoggedData& log, const CompareOptions& options,
                   const Progress& progress = {});

}  // namespace otss
