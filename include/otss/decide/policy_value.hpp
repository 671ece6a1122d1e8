// What a decision rule would have earned on a log that another rule made: is the new policy better
// than what we did? Needs the probability with which each logged decision was chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/table.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// A log as the value of a policy needs it: one entry per logged row. read_policy_log makes one for
// a model; fill it yourself to value any other rule with any predictions.
struct PolicyLog {
  std::vector<double> outcomes;          // as observed
  std::vector<double> propensities;      // of the logged decision, under the logging policy: (0, 1]
  std::vector<std::uint8_t> agrees;      // 1 where the policy decides as was logged
  std::vector<double> predicted_logged;  // mean outcome a model predicts for the logged decision
  std::vector<double> predicted_chosen;  // the same for the policy's own
  std::vector<double> weights;           // of the rows; empty: all one
  std::vector<std::uint32_t> groups;     // rows that belong together; empty: independent
  // 1 where the policy's decision was logged in some row; empty: not asked, since decisions of
  // different contexts need not be the same ones.
  std::vector<std::uint8_t> chosen_was_logged;
};

// Columns of a log that another policy made.
struct PolicyColumns {
  std::string decision;    // id of the logged decision
  std::string propensity;  // with which it was chosen
};

// The policy is the model's best decision, as decide() gives it, ties included; its predictions are
// the direct model. The table needs the model's contexts and outcome, and for candidates the column
// FeasibleSet::context_id(); factors come from the feasible set, and where the table has them too
// they must agree. The model's weight and group columns are used where the table has them. An id
// the feasible set lacks and a propensity outside (0, 1] are errors naming the row. A model whose
// factors were centred needs the candidates they were centred by.
PolicyLog read_policy_log(const TableReader& reader, const Fitted& fitted,
                          const PolicyColumns& columns, const FeasibleSet& feasible,
                          const EncodeOptions& options = {});
PolicyLog read_policy_log(const std::string& path, const Fitted& fitted,
                          const PolicyColumns& columns, const FeasibleSet& feasible,
                          const EncodeOptions& options = {});

// An estimate with its interval; NaN where the log cannot tell.
struct ValueEstimate {
  double value = 0;
  double lo = 0;
  double hi = 0;
};

// With a_i = 1[policy agrees] / propensity, m the model's predictions, all means over rows:
struct PolicyValue {
  ValueEstimate ips;            // mean a y
  ValueEstimate snips;          // mean a y / mean a; no interval where all these y are equal
  ValueEstimate direct;         // mean m(chosen); the interval knows nothing of the model's errors
  ValueEstimate doubly_robust;  // mean m(chosen) + a (y - m(logged))
  ValueEstimate logging;        // mean y: what was done
  ValueEstimate gain;           // doubly_robust - logging, on the same rows
  double level = 0.9;           // of the intervals

  std::size_t num_rows = 0;
  std::size_t num_units = 0;         // that are independent: rows, or groups
  double effective_sample_size = 0;  // (sum a)² / sum a²
  double agreement = 0;              // share of rows
  double never_logged = 0;           // share of rows, see chosen_was_logged; NaN when not asked
  double mean_importance = 0;        // mean a: 1 but for noise where propensities are right
  double mean_importance_error = 0;  // its standard error
  double max_importance = 0;         // the largest a
  double min_propensity = 0;         // the smallest of a logged decision
};

// Intervals are value ± t · se. se comes from the influence function, summed within groups; a row
// is one observation whatever its weight. t is Student's, with the degrees of freedom that an se of
// such skewed terms deserves (docs/method.md), so that few agreeing rows give wider intervals.
PolicyValue policy_value(const PolicyLog& log, double level = 0.9);

// What speaks against trusting these estimates, in sentences; none where nothing does.
std::vector<std::string> overlap_warnings(const PolicyValue& value);

}  // namespace otss
