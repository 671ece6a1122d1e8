// Declares the interface of comparison methods and the protocol that they share. All methods have
// the same rows, split, standardisation and baseline, and weigh their settings by held-out loss: one
// setting is picked, or all are averaged (Treatment).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "learn/averaging/cross_validation.hpp"
#include "learn/deploy/standardised_model.hpp"
#include "learn/mixture/pooled.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::internal {

// Holds everything that a method may use in a fit.
struct MethodInput {
  const Problem& log;      // all rows, which decide what the settings are
  const Problem& problem;  // rows with nonzero weight are the training rows
  // The pooled fit on the training rows. It gives a starting point and the baseline's penalty.
  const PooledFit& pooled;
  std::uint64_t seed = 1;
  int num_threads = 1;
};

class ComparisonMethod {
 public:
  virtual ~ComparisonMethod() = default;

  // Returns the settings to choose from, as named values for the report: {clusters: 3, penalty: 1}.
  virtual std::vector<NamedValues> settings(const Problem& problem) const = 0;

  // Returns one fitted model per setting. The fit of a setting may start from the model of the
  // previous setting.
  virtual std::vector<StandardisedModel> fit_all(const MethodInput& input) const = 0;

  // Fits one setting, usually on all rows, and returns the model. `near` is the model of the same
  // setting fitted on other rows of the same log; the fit may start from `near`.
  virtual StandardisedModel fit_one(const MethodInput& input, std::size_t setting,
                                    const StandardisedModel& near) const = 0;
};

// Returns the comparison method that the options name. For otss, the result is the mixture with a
// network gate, because fit_soft() fits the other gates. Throws for pooled, because fit_soft() fits
// the pooled model.
std::unique_ptr<ComparisonMethod> make_method(const FitOptions& options);

struct Choice {
  std::vector<NamedValues> settings;
  std::vector<double> losses;   // for each setting, the mean loss over the held-out rows
  std::vector<double> weights;  // for each setting, its weight: 0 or 1 if one setting is picked
  // The weight of the pooled model, which takes part in the average, as it does in that of OTSS. It
  // is absent if one setting is picked, and for boosted trees.
  std::optional<double> pooled_weight;
  // The index of the setting with the largest weight, which is the setting that is picked. If
  // several settings have the largest weight, it is the first of them.
  std::size_t chosen = 0;
  // For each held-out row, the prediction with weights that were chosen without this row. NaN for
  // rows that are never held out.
  std::vector<double> held_out_eta;
  std::vector<double> pooled_eta;  // for each held-out row, the prediction of the pooled model
  StandardisedModel model;         // fitted on all rows if refit is true, else on training rows
};

struct ProtocolOptions {
  Treatment treatment = Treatment::kPick;  // kPick or kAverage
  bool refit = true;  // if true, the settings with a weight are refitted on all rows
  std::uint64_t seed = 1;
  int num_threads = 1;
  std::span<const std::uint32_t> groups = {};  // group of each row; empty if rows are independent
};

// Weighs the settings by held-out loss, and fits those with a weight that is not negligible. If
// options.refit is false, there must be only one fold; the returned model was then fitted on the
// training rows of this fold.
Choice choose_and_fit(const ComparisonMethod& method, const Problem& problem, const Folds& folds,
                      const ProtocolOptions& options,
                      const std::function<void(double fraction)>& progress);

}  // namespace otss::internal
