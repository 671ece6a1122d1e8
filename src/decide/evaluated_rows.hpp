// This header reads the table that a model is evaluated on, in one pass.
#pragma once

#include <cstddef>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/table.hpp"
#include "otss/model/diagnostics.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

struct EvaluatedRows {
  // The linear predictor, the outcome and the weight of each row of the table. These vectors are
  // empty if no outcomes were read.
  std::vector<double> eta, outcomes, row_weights;
  std::vector<double> weights;  // the factor weights w(x) of each row, rows × J
  GateUseCounter gate;
  std::vector<std::size_t> largest_shares;  // for each row, the expert with the largest share
  UnknownCounts unknown;
  std::size_t rows = 0;
};

// Reads the table and evaluates the model on each row. `with_outcomes` is true if the table has the
// factors and the outcome. For a model with centred factors, `candidates` are used to centre the
// factors. For other models `candidates` are ignored.
EvaluatedRows read_evaluated_rows(const Fitted& fitted, const TableReader& reader,
                                  bool with_outcomes, const FeasibleSet* candidates,
                                  UnknownPolicy unknown, OutsidePolicy outside);

}  // namespace otss::internal
