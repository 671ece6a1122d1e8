// Turns otss::Error into the exceptions of otss._errors.
#pragma once

#include <pybind11/pybind11.h>

namespace otss::python {

void bind_errors(pybind11::module_& module);

}  // namespace otss::python
