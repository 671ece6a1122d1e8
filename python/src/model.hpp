// The fitted model as Python sees it.
#pragma once

#include <pybind11/pybind11.h>

namespace otss::python {

void bind_model(pybind11::module_& module);        // fitting, files, weights, gate, predictions
void bind_report(pybind11::module_& module);       // the FitReport as nested dicts
void bind_decide(pybind11::module_& module);       // decisions over a library or candidates
void bind_plan(pybind11::module_& module);         // decisions by mixed-integer programs
void bind_evaluate(pybind11::module_& module);     // evaluation on a table
void bind_report_page(pybind11::module_& module);  // the report page of a model
void bind_partitions(pybind11::module_& module);   // partitions of a log in other processes
void bind_lab(pybind11::module_& module);          // comparisons, simulated logs, studies

}  // namespace otss::python
