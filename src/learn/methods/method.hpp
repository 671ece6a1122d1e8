// The interface of comparison methods and the protocol that all of them share: the same rows,
// split, standardisation and baseline, and settings chosen by held-out loss.
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

// Everything that a method may use.
struct MethodInput {
  const Problem& problem;   // rows with nonzero weight are the training rows
  const PooledFit& pooled;  // fitted on the same rows: a starting point, and the baseline's penalty
  std::uint64_t seed = 1;
  int num_threads = 1;
};

class ComparisonMethod {
 public:
  virtual ~ComparisonMethod() = default;

  // The settings to choose from, as named values for the report: {clusters: 3, penalty: 1}.
  virtual std::vector<NamedValues> settings(const Problem& problem) const = 0;

  // Fits one model per setting; a fit may start from that of the setting before.
  virtual std::vector<StandardisedModel> fit_all(const MethodInput& input) const = 0;

  // Fits one setting, usually on all rows. `near` is its model on other rows of the same log.
  virtual StandardisedModel fit_one(const MethodInput& input, std::size_t setting,
                                    const StandardisedModel& near) const = 0;
};

// Throws for pooled and makes the network-gate mixture for otss: other gates are fitted by
// fit_soft.
std::unique_ptr<ComparisonMethod> make_method(const FitOptions& options);

struct Choice {
  std::vector<NamedValues> settings;
  std::vector<double> losses;  // of each setting: mean over the held-out rows
  std::size_t chosen = 0;      // the setting with the lowest loss; the first one of equals
  // Per held-out row: the prediction of the setting that was chosen without this row.
  std::vector<double> held_out_eta;
  std::vector<double> pooled_eta;  // per held-out row: the prediction of the pooled model
  StandardisedModel model;         // fitted on all rows; on the training rows without refit
};

struct ProtocolOptions {
  bool refit = true;  // refit the chosen setting on all rows
  std::uint64_t seed = 1;
  int num_threads = 1;
};

// Precondition without refit: there is one fold. The model is then the one of its training rows.
Choice choose_and_fit(const ComparisonMethod& method, const Problem& problem, const Folds& folds,
                      const ProtocolOptions& options,
                      const std::function<void(double fraction)>& progress);

}  // namespace otss
