#include <pybind11/stl.h>

#include <optional>

#include "contexts.hpp"
#include "long_task.hpp"
#include "model.hpp"
#include "otss/report/report.hpp"
#include "units.hpp"

// The report page of a model (otss/report/report.hpp).
namespace otss::python {
namespace {

// The tables and names of a report.
struct PageQuestion {
  std::optional<TableSource> library, candidates;
  std::string id, context_id, propensity;
  bool in_sample = false;
};

Report answer_page(const Fitted& fitted, const PageQuestion& question, ReportOptions options) {
  std::optional<FeasibleSet> feasible;
  const auto reader = [&](const TableSource& source) {
    return TableReader(fitted.encoder().as_trained(source));
  };
  if (question.library)
    feasible = read_library(reader(*question.library), question.id, fitted.factor_names());
  if (question.candidates) {
    feasible = read_candidates(reader(*question.candidates), question.context_id, question.id,
                               fitted.factor_names());
  }
  if (feasible) options.feasible = &*feasible;
  if (!question.propensity.empty()) {
    options.policy =
        PolicyQuestion{.columns = {.decision = options.decision, .propensity = question.propensity},
                       .in_sample = question.in_sample};
  }
  return report(fitted, options);
}

}  // namespace

void bind_report_page(py::module_& module) {
  py::class_<Report>(module, "ReportPage")
      .def_readonly("page", &Report::page)
      .def_readonly("facts", &Report::facts)
      .def("write", [](const Report& made, const std::string& page, const std::string& facts) {
        const py::gil_scoped_release release;
        write_report(made, page, facts);
      });
  module.def(
      "report_page",
      [](const Fitted& fitted, const std::optional<TableSource>& log,
         const std::optional<TableSource>& library, const std::optional<TableSource>& candidates,
         const py::dict& names, bool in_sample, const std::string& compare, bool refuse_unknown,
         bool refuse_outside, const UnitStates* units, std::uint64_t seed, int threads,
         const py::object& progress) {
        const auto name = [&](const char* key) { return names[key].cast<std::string>(); };
        const PageQuestion question{
            library, candidates, name("id"), name("context_id"), name("propensity"), in_sample};
        ReportOptions options{.model = name("model"), .log = log, .decision = name("decision")};
        options.compare = compare;
        options.units = unit_columns(units, name("unit"), name("time"));
        options.unknown = refuse_unknown ? UnknownPolicy::kError : UnknownPolicy::kCount;
        options.outside = refuse_outside ? OutsidePolicy::kError : OutsidePolicy::kCount;
        options.seed = seed;
        options.threads = threads;
        Report made = long_task(
            progress, [&](const Progress&) { return answer_page(fitted, question, options); });
        const py::object counts = counts_to_python(made.unknown, fitted.encoder());
        return py::make_tuple(std::move(made), counts);
      },
      py::arg("model"), py::arg("log"), py::arg("library"), py::arg("candidates"), py::arg("names"),
      py::arg("in_sample"), py::arg("compare"), py::arg("refuse_unknown"),
      py::arg("refuse_outside"), py::arg("units"), py::arg("seed"), py::arg("threads"),
      py::arg("progress"));
}

}  // namespace otss::python
