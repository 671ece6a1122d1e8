// One pass over the table that a model is evaluated on.
#pragma once

#include <cstddef>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/table.hpp"
#include "otss/model/diagnostics.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

struct EvaluatedRows {
  std::vector<double> eta, outcomes, row_weights;  // empty if no outcomes were read
  std::vector<double> weights;                     // rows × J
  GateUseCounter gate;
  std::vector<std::size_t> largest_shares;  // the expert with the largest share, per row
  UnknownCounts unknown;
  std::size_t rows = 0;
};

// Reads the table and evaluates the model on each row. `with_outcomes` is true if the table has the
// factors and the outcome. `candidates` are used to centre the factors of a model with centred
// factors; for other models they are ignored.
EvaluatedRows read_evaluated_rows(const Fitted& fitted, const TableReader& reader,
                                  bool with_outcomes, const FeasibleSet* candidates,
                                  UnknownPolicy unknown, OutsidePolicy outside);

}  // namespace otss
