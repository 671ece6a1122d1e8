// What is known about units, such as customers, for the rows of tables of Python callers.
#pragma once

#include <pybind11/pybind11.h>

#include <otss/otss.hpp>
#include <string>

#include "contexts.hpp"
#include "python_table.hpp"

namespace otss::python {

// The units of the rows of a table of contexts, and what is known about them.
class RowUnits {
 public:
  // The first column of `columns` names the unit of each row. A second column, if there is one, has
  // the time of each row: only earlier rows of the unit's history count. `threads` look up the units
  // of consecutive rows; 0 means all cores.
  RowUnits(UnitStates states, PythonTable columns, int threads);

  // Returns what is known about the units of these rows.
  BeliefsOfRows beliefs(const EncodedRows& rows) const;

 private:
  UnitStates states_;
  PythonTable columns_;
  int threads_;
};

// Returns what is known about the units of these rows; nothing if `units` is null.
BeliefsOfRows beliefs_of(const RowUnits* units, const EncodedRows& rows);

// Returns the columns of a table that has the units of its rows. `states` may be null.
UnitColumns unit_columns(const UnitStates* states, const std::string& unit,
                         const std::string& time);

void bind_units(py::module_& module);

}  // namespace otss::python
