// Whether a table is the one a model was fitted on.
#pragma once

#include "otss/data/table.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

class FeasibleSet;  // otss/data/feasible_set.hpp

// By the data fingerprint of the model's report: the same rows in the same order, whatever the
// file format and the columns the model does not use. Training rows among others, or in another
// order, cannot be told. `feasible` as read_centered_log took it; other models do not need it.
bool is_training_table(const Fitted& fitted, TableReader& reader,
                       const FeasibleSet* feasible = nullptr);

}  // namespace otss
