// Contexts of Python callers, encoded chunk after chunk.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <otss/otss.hpp>
#include <string>

#include "python_table.hpp"

namespace otss::python {

// Says what to do with values that did not occur in training.
struct NewValues {
  UnknownPolicy unknown = UnknownPolicy::kCount;
  OutsidePolicy outside = OutsidePolicy::kCount;
};

// Consecutive rows of encoded contexts. They are valid until the callback returns.
struct EncodedRows {
  std::size_t first_row = 0;
  std::size_t num_rows = 0;
  std::span<const double> x;  // num_rows × p
};

// Returns true if the model reads contexts by rules that change values (dates, words for missing
// values, lower case), so that its contexts must be read by a TableReader.
bool needs_reader(const Encoder& encoder);

// Encodes the contexts and calls `consume` for consecutive rows. The columns of `table` are the
// context columns of the model, in their order; if needs_reader(), they are found by name. Call this
// function without the GIL. Returns the counts of values that did not occur in training.
UnknownCounts encode_rows(const Fitted& fitted, const PythonTable& table, const NewValues& policy,
                          const std::function<void(const EncodedRows&)>& consume);

// Does the same on `threads` threads (0: all cores), which call `consume` for different rows at the
// same time, in any order.
UnknownCounts encode_rows_in_parallel(const Fitted& fitted, const PythonTable& table,
                                      const NewValues& policy, int threads,
                                      const std::function<void(const EncodedRows&)>& consume);

// Returns the counts as (unknown levels, unexpected missing values, {column: far values}), or None
// if all counts are 0.
py::object counts_to_python(const UnknownCounts& counts, const Encoder& encoder);

}  // namespace otss::python
