// A comparison method and the protocol all of them share: the same rows, split, standardisation and
// baseline; settings chosen by the loss of rows they did not see; nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "learn/averaging/cross_validation.hpp"
#include "learn/deploy/standardised_model.hpp"
#include "learn/mixture/pooled.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/fit_report.hpp"

namespace otss {

// All that a method may know about the log besides its rows.
struct MethodInput {
  const Problem& problem;   // the rows that count are the training rows
  const PooledFit& pooled;  // fitted on these rows: where to start, and the baseline's penalty
  std::uint64_t seed = 1;
  int num_threads = 1;
};

class ComparisonMethod {
 public:
  virtual ~ComparisonMethod() = default;

  // What is chosen among, by name, for the record: clusters 3, penalty 1.
  virtual std::vector<NamedValues> settings(const Problem& problem) const = 0;

  // One model per setting; neighbours may start from each other.
  virtual std::vector<StandardisedModel> fit_all(const MethodInput& input) const = 0;

  // The one setting, on (usually) all rows. `near` is its model on other rows of the same log.
  virtual StandardisedModel fit_one(const MethodInput& input, std::size_t setting,
                                    const StandardisedModel& near) const = 0;
};

// otss and pooled have procedures of their own (fit.cpp).
std::unique_ptr<ComparisonMethod> make_method(const FitOptions& options);

struct Choice {
  std::vector<NamedValues> settings;
  std::vector<double> losses;  // of each setting, mean over held-out rows
  std::size_t chosen = 0;      // the first of the least
  // Per row, only where held out: every row is predicted by the setting chosen without it.
  std::vector<double> held_out_eta;
  std::vector<double> pooled_eta;  // the pooled model's, likewise
  StandardisedModel model;         // fitted on all rows; on the training rows without refit
};

struct ProtocolOptions {
  bool refit = true;  // on all rows once the setting is chosen
  std::uint64_t seed = 1;
  int num_threads = 1;
};

// Without refit there must be one fold, whose training rows the model is of.
Choice choose_and_fit(const ComparisonMethod& method, const Problem& problem, const Folds& folds,
                      const ProtocolOptions& options,
                      const std::function<void(double fraction)>& progress);

}  // namespace otss
