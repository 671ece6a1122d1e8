// Whether a table is the one a model was fitted on.
#pragma once

#include "otss/data/table.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

class FeasibleSet;  // otss/data/feasible_set.hpp

// True if the table has the data fingerprint in the model's report: the same rows in the same
// order. The file format and columns that the model does not use make no difference. Training rows
// that are mixed with others, or in another order, are not recognised. `feasible` is the set that
// read_centered_log was given, for a model with centred factors; other models ignore it.
bool is_training_table(const Fitted& fitted, TableReader& reader,
                       const FeasibleSet* feasible = nullptr);

}  // namespace otss
