// One pass over the table that a model is evaluated on.
#pragma once

#include <cstddef>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/table.hpp"
#include "otss/model/diagnostics.hpp"
#include "otss/model/fitted.hpp"

namespace otss::app {

struct EvaluatedRows {
  std::vector<double> eta, outcomes, row_weights;  // with factors and outcome
  std::vector<double> weights;                     // rows × J
  GateUseCounter gate;
  std::vector<std::size_t> largest_shares;  // the expert that has it, per row
  UnknownCounts unknown;
  std::size_t rows = 0;
};

// `with_outcomes`: the table has the factors and the outcome. `candidates` for a model whose factors
// are counted from the mean of each context's candidates, else not looked at.
EvaluatedRows read_evaluated_rows(const Fitted& fitted, const TableReader& reader,
                                  bool with_outcomes, const FeasibleSet* candidates,
                                  UnknownPolicy unknown);

}  // namespace otss::app
