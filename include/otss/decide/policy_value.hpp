// This header makes off-policy evaluations. A policy is a rule that chooses decisions. The log
// holds decisions that one policy chose. From this log, the code estimates the mean outcome that
// another policy would have had. The log must have the probability with which each logged decision
// was chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/table.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/unit_states.hpp"

namespace otss {

// The input of policy_value. Every vector has one entry per row of the log. read_policy_log makes a
// PolicyLog for the decisions of a model. For another policy, or for other predictions, fill the
// fields yourself.
struct PolicyLog {
  std::vector<double> outcomes;          // the observed outcomes
  std::vector<double> propensities;      // probability of the logged decision, in (0, 1]
  std::vector<std::uint8_t> agrees;      // 1 if the policy chooses the logged decision, else 0
  std::vector<double> predicted_logged;  // the predicted mean outcome of the logged decision
  std::vector<double> predicted_chosen;  // the predicted mean outcome of the policy's decision
  std::vector<double> weights;           // the row weights; empty means that every row has weight 1
  // The groups of dependent rows; empty means that all rows are independent.
  std::vector<std::uint32_t> groups;
  // 1 if the policy's decision was logged in at least one row of the log, else 0. Empty if this is
  // not known. It is never known for candidates, because the same id may mean different decisions
  // in different contexts.
  std::vector<std::uint8_t> chosen_was_logged;
};

// The names of columns of a log whose decisions another policy chose.
struct PolicyColumns {
  std::string decision;    // the id of the logged decision
  std::string propensity;  // the probability with which the logged decision was chosen
  // The groups of rows that may depend on each other. Empty means the group column that the model
  // was fitted with, if the log has it.
  std::string group = {};
  UnitColumns units = {};  // the units of the rows; decisions and predictions are those of the unit
};

// Reads a log for policy_value. The policy chooses the model's best decision, as decide() does,
// with the same rule for ties. The model predicts the mean outcomes. The table must have the
// model's context and outcome columns and, for candidates, the column FeasibleSet::context_id().
// Factors are taken from the feasible set. If the table has factor columns too, their values must
// equal those of the feasible set. The model's weight and group columns are used if the table has
// them. Throws an Error that names the row if an id is not in the feasible set, or if a propensity
// is outside (0, 1]. A model with centred factors needs candidates, with the same context id column
// that the model was fitted with.
PolicyLog read_policy_log(const TableReader& reader, const Fitted& fitted,
                          const PolicyColumns& columns, const FeasibleSet& feasible,
                          const EncodeOptions& options = {});
PolicyLog read_policy_log(const std::string& path, const Fitted& fitted,
                          const PolicyColumns& columns, const FeasibleSet& feasible,
                          const EncodeOptions& options = {});

// An estimate and its confidence interval. A number that cannot be computed from the log is NaN.
struct ValueEstimate {
  double value = 0;
  double lo = 0;
  double hi = 0;
};

// Estimates of the value of the policy, in the units of the outcome. In the formulas below, y is
// the observed outcome of a row, m is the predicted mean outcome of a decision, and
// a = 1[policy agrees] / propensity is the importance weight of a row. All means are over rows.
struct PolicyValue {
  ValueEstimate ips;  // inverse propensity scoring: the mean of a y
  // Self-normalised ips: (mean of a y) / (mean of a); has no interval if all rows with a > 0 have
  // the same y.
  ValueEstimate snips;
  ValueEstimate direct;  // the mean of m(chosen); its interval ignores the errors of the model
  ValueEstimate doubly_robust;  // the mean of m(chosen) + a (y - m(logged))
  ValueEstimate logging;  // the mean of y: the value of the policy that chose the logged decisions
  ValueEstimate gain;     // doubly_robust minus logging, on the same rows
  double level = 0.9;     // the confidence of the intervals

  std::size_t num_rows = 0;
  std::size_t num_units = 0;         // the number of groups, or of rows if there are no groups
  double effective_sample_size = 0;  // (sum of a)² / (sum of a²): a number of rows
  double agreement = 0;        // the share of rows in which the policy chooses the logged decision
  double never_logged = 0;     // the share of rows with chosen_was_logged = 0; NaN if not known
  double mean_importance = 0;  // the mean of a; about 1 if the propensities are right
  double mean_importance_error = 0;  // the standard error of mean_importance
  double max_importance = 0;         // the largest importance weight a
  double min_propensity = 0;         // the smallest propensity of a logged decision
};

// Estimates the value of a policy from a log. `level` is the confidence of the intervals, between 0
// and 1. A log without rows, or with weight 0 in every row, is an Error(kInput).
//
// Intervals are value ± t · se. The standard error se is computed from the influence of each row on
// the estimate, summed within groups. A row counts as one observation, whatever its weight. t is a
// quantile of Student's distribution. Its degrees of freedom are estimated from the kurtosis of
// these sums (docs/method.md), so that intervals are wider if the policy agrees with few rows.
PolicyValue policy_value(const PolicyLog& log, double level = 0.9);

// Returns sentences that say why the estimates should not be trusted. The list is empty if there is
// no such reason.
std::vector<std::string> overlap_warnings(const PolicyValue& value);

}  // namespace otss
