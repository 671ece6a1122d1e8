// The module otss._core: the public C++ interface, as far as the package otss uses it. Users import
// otss, which checks arguments and names things as Python does.
#include <pybind11/pybind11.h>

#include <otss/otss.hpp>

#include "arrow.hpp"
#include "errors.hpp"
#include "fit_options.hpp"
#include "log.hpp"
#include "model.hpp"
#include "python_table.hpp"
#include "units.hpp"

PYBIND11_MODULE(_core, module) {
  using namespace otss::python;
  module.attr("__version__") = std::string(otss::version());
  module.def("instruction_set", &otss::instruction_set,
             "The instruction set that the vector kernels use on this machine.");
  bind_errors(module);
  bind_table(module);
  bind_arrow(module);
  bind_fit_options(module);
  bind_log(module);
  bind_model(module);
  bind_report(module);
  bind_units(module);
  bind_report_page(module);
  bind_decide(module);
  bind_plan(module);
  bind_evaluate(module);
  bind_partitions(module);
  bind_lab(module);
}
