// This header reads the table that a model is evaluated on, in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/table.hpp"
#include "otss/decide/evaluate.hpp"
#include "otss/model/diagnostics.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

struct EvaluatedRows {
  // The linear predictor, the outcome and the weight of each row of the table. These vectors are
  // empty if no outcomes were read.
  std::vector<double> eta, outcomes, row_weights;
  // -log P(y) of each row; empty if it follows from eta (PredictedFamily::log_losses).
  std::vector<double> log_losses;
  // The group of each row, numbered from 0 without gaps; empty if all rows are independent.
  std::vector<std::uint32_t> groups;
  std::vector<double> weights;  // the factor weights of each row, rows × J
  GateUseCounter gate;
  std::vector<std::size_t> largest_shares;  // for each row, the expert with the largest share
  UnknownCounts unknown;
  std::size_t rows = 0;
};

// Reads the table and evaluates the model on each row. `with_outcomes` is true if the table has the
// factors and the outcome. `group` is the column with the groups; it is empty if all rows are
// independent. Of the options, only centered_by, units, unknown and outside are
// used.
EvaluatedRows read_evaluated_rows(const Fitted& fitted, const TableReader& reader,
                                  bool with_outcomes, const std::string& group,
                                  const EvaluateOptions& options);

}  // namespace otss::internal
