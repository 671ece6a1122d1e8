// Whether a table is the one a model was fitted on.
#pragma once

#include "otss/data/factor_centers.hpp"
#include "otss/data/table.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// By the data fingerprint of the model's report: the same rows in the same order, whatever the
// file format and the columns the model does not use. Training rows among others, or in another
// order, cannot be told. `centers` as read_centered_log had them, null for other models.
bool is_training_table(const Fitted& fitted, TableReader& reader,
                       const FactorCenters* centers = nullptr);

}  // namespace otss
