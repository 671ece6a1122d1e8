// This header predicts the mean outcome of decisions that are given in a table: each row has a
// context and the factors of a decision.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/table.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/unit_states.hpp"

namespace otss {

struct PredictOptions {
  double level = 0;  // confidence of the intervals (see is_confidence); 0: no intervals
  // Columns of the table that are handed on with the predictions, as text.
  std::vector<std::string> keep = {};
  TextForm kept_form = TextForm::kVerbatim;  // the form of the texts of these columns
  // The candidates whose mean factors are used for centring. Only a model with centred factors
  // needs them.
  const FeasibleSet* centered_by = nullptr;
  // The units of the rows. A mean outcome is averaged over what is known about the unit.
  UnitColumns units = {};
  // The next two fields say what to do with values that did not occur in training, and with numbers
  // far outside the range of training.
  UnknownPolicy unknown = UnknownPolicy::kCount;
  OutsidePolicy outside = OutsidePolicy::kCount;
  // The number of threads that compute the intervals of consecutive rows; 0 means all cores.
  int threads = 0;
};

// The predictions of consecutive rows of a table. They are valid until the callback returns.
struct PredictedRows {
  std::size_t first_row = 0;  // the row number of the first row, counted from 0
  std::size_t num_rows = 0;
  std::span<const double> mean;    // the mean outcome of each row
  std::span<const double> lo, hi;  // the interval of each mean; empty if PredictOptions::level is 0
  std::span<const ColumnChunk> kept;  // the columns PredictOptions::keep
};

// Predicts every row of a table, and calls `consume` for consecutive rows, in the order of the
// table. The table must have the model's context columns and factors; it needs no outcome. Returns
// the counts of values that did not occur in training. If a value cannot be used, throws an Error
// that names the table, the row and the column. The reader must be made for
// fitted.encoder().as_trained(source).
UnknownCounts predict(const Fitted& fitted, const TableReader& reader,
                      const PredictOptions& options,
                      const std::function<void(const PredictedRows&)>& consume);

// Does the same on the threads of the reader. `work` is called for several parts of the table at
// the same time, in any order. It may return a function. These functions are called one at a time,
// in the order of the table.
UnknownCounts predict_in_parallel(
    const Fitted& fitted, const TableReader& reader, const PredictOptions& options,
    const std::function<std::function<void()>(const PredictedRows&)>& work);

}  // namespace otss
