// This header recognises the table that a model was fitted on.
#pragma once

#include "otss/data/table.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

class FeasibleSet;  // declared in otss/data/feasible_set.hpp

// Returns true if the fingerprint of the table, a hash of its columns and rows, equals the
// fingerprint in the model's report. Then the table has the same rows as the training log, in the
// same order. The file format and columns that the model does not use make no difference. Training
// rows in another order, or mixed with other rows, are not recognised. For a model with centred
// factors, `feasible` must be the set that was given to read_centered_log. For other models
// `feasible` is ignored.
bool is_training_table(const Fitted& fitted, TableReader& reader,
                       const FeasibleSet* feasible = nullptr);

}  // namespace otss
