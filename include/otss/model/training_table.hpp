// Recognises the table that a model was fitted on.
#pragma once

#include "otss/data/table.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

class FeasibleSet;  // otss/data/feasible_set.hpp

// True if the table's fingerprint is the one in the model's report, which means that the table has
// the same rows in the same order. The file format and columns that the model does not use make no
// difference. Training rows in another order, or mixed with other rows, are not recognised. For a
// model with centred factors, `feasible` is the set that read_centered_log was given; for other
// models it is ignored.
bool is_training_table(const Fitted& fitted, TableReader& reader,
                       const FeasibleSet* feasible = nullptr);

}  // namespace otss
