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
  std::vector<double> eta, outcomes, row_weights;  // only where factors and outcome were read
  std::vector<double> weights;                     // rows × J
  GateUseCounter gate;
  std::vector<std::size_t> largest_shares;  // the expert with the largest share, per row
  UnknownCounts unknown;
  std::size_t rows = 0;
};

// `with_outcomes`: the table has the factors and the outcome. `candidates`: what the factors of a
// centred model are counted from; other models ignore it.
EvaluatedRows read_evaluated_rows(const Fitted& fitted, const TableReader& reader,
                                  bool with_outcomes, const FeasibleSet* candidates,
                                  UnknownPolicy unknown);

}  // namespace otss
