// Logs: how Python names a table and the roles of its columns, and reading a log from either.
#pragma once

#include <pybind11/pybind11.h>

#include <otss/otss.hpp>

namespace otss::python {

namespace py = pybind11;

// Returns the roles that a dict gives: contexts, factors, outcome, weight, group, unit, time, exclude.
Roles roles_from(const py::dict& roles);
py::dict roles_to_dict(const Roles& roles);

py::list findings_to_list(const Findings& findings);

void bind_log(py::module_& module);

}  // namespace otss::python
