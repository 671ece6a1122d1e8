#include "units.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <utility>

#include "long_task.hpp"

namespace otss::python {
namespace {

// How a history is read.
struct HistoryQuestion {
  TableSource history;
  std::string unit, time;
  std::optional<double> half_life;
  std::optional<std::int64_t> keep_rows;  // negative: all rows
  std::optional<TableSource> candidates;
  bool refuse_unknown = false, refuse_outside = false;
  int threads = 0;
};

UnitStates updated(const UnitStates& states, const HistoryQuestion& question,
                   UnknownCounts& counts) {
  const Fitted& fitted = states.fitted();
  UpdateOptions options{.unit = question.unit, .time = question.time, .counts = &counts};
  options.half_life = question.half_life;
  if (question.keep_rows) {
    options.keep_rows = *question.keep_rows < 0 ? UpdateOptions::kAllRows
                                                : static_cast<std::size_t>(*question.keep_rows);
  }
  options.unknown = question.refuse_unknown ? UnknownPolicy::kError : UnknownPolicy::kCount;
  options.outside = question.refuse_outside ? OutsidePolicy::kError : OutsidePolicy::kCount;
  options.threads = question.threads;
  std::optional<FeasibleSet> candidates;
  if (question.candidates) {
    candidates = read_candidates(TableReader(fitted.encoder().as_trained(*question.candidates)),
                                 fitted.roles().centered_by, "", fitted.factor_names());
    options.centered_by = &*candidates;
  }
  return update_units(states, question.history, options);
}

template <class Value, class ValueOf>
py::array_t<Value> per_unit(const UnitStates& states, const ValueOf& value_of) {
  py::array_t<Value> values(static_cast<py::ssize_t>(states.num_units()));
  Value* cells = values.mutable_data();
  for (std::size_t unit = 0; unit < states.num_units(); ++unit) cells[unit] = value_of(unit);
  return values;
}

py::list unit_names(const UnitStates& states) {
  py::list names;
  for (std::size_t unit = 0; unit < states.num_units(); ++unit) names.append(states.name(unit));
  return names;
}

void bind_states(py::module_& module) {
  py::class_<UnitStates>(module, "UnitStates")
      .def(py::init<const Fitted&>())
      .def("save",
           [](const UnitStates& states, const std::string& path) {
             const py::gil_scoped_release release;
             save_units(states, path);
           })
      .def_static("load",
                  [](const Fitted& fitted, const std::string& path) {
                    const py::gil_scoped_release release;
                    return load_units(fitted, path);
                  })
      .def_property_readonly("num_units", &UnitStates::num_units)
      .def_property_readonly("has_times", &UnitStates::has_times)
      .def_property_readonly("half_life", &UnitStates::half_life)
      .def_property_readonly("keeps_rows",
                             [](const UnitStates& states) { return states.keep_rows() > 0; })
      .def_property_readonly("model",
                             [](const UnitStates& states) { return Fitted(states.fitted()); })
      .def_property_readonly("names", &unit_names)
      .def_property_readonly("num_rows",
                             [](const UnitStates& states) {
                               return per_unit<std::int64_t>(states, [&](std::size_t unit) {
                                 return static_cast<std::int64_t>(states.num_rows(unit));
                               });
                             })
      .def_property_readonly("last_times",
                             [](const UnitStates& states) {
                               return per_unit<double>(
                                   states, [&](auto unit) { return states.last_time(unit); });
                             })
      .def("has", [](const UnitStates& states, const std::string& name) {
        return states.find(name).has_value();
      });
}

}  // namespace

RowUnits::RowUnits(UnitStates states, PythonTable columns, int threads)
    : states_(std::move(states)), columns_(std::move(columns)), threads_(threads) {}

BeliefsOfRows RowUnits::beliefs(const EncodedRows& rows) const {
  const std::vector<MemoryColumn>& columns = columns_.memory().columns;
  std::vector<std::string_view> names(rows.num_rows);
  columns.front().texts(rows.first_row, names);
  std::vector<double> times(columns.size() > 1 ? rows.num_rows : 0);
  if (!times.empty()) columns[1].numbers(rows.first_row, times);
  return {states_, names, times, columns_.name(), rows.first_row, threads_};
}

BeliefsOfRows beliefs_of(const RowUnits* units, const EncodedRows& rows) {
  return units == nullptr ? BeliefsOfRows() : units->beliefs(rows);
}

UnitColumns unit_columns(const UnitStates* states, const std::string& unit,
                         const std::string& time) {
  return {.states = states, .unit = unit, .time = time};
}

void bind_units(py::module_& module) {
  bind_states(module);
  py::class_<RowUnits>(module, "RowUnits")
      .def(py::init<UnitStates, PythonTable, int>(), py::arg("states"), py::arg("columns"),
           py::arg("threads"));
  module.def(
      "update_units",
      [](const UnitStates& states, const TableSource& history, const std::string& unit,
         const std::string& time, std::optional<double> half_life,
         std::optional<std::int64_t> keep_rows, const std::optional<TableSource>& candidates,
         bool refuse_unknown, bool refuse_outside, int threads, const py::object& progress) {
        const HistoryQuestion question{history,        unit,           time,
                                       half_life,      keep_rows,      candidates,
                                       refuse_unknown, refuse_outside, threads};
        UnknownCounts counts;
        UnitStates result =
            long_task(progress, [&](const Progress&) { return updated(states, question, counts); });
        return py::make_tuple(std::move(result),
                              counts_to_python(counts, states.fitted().encoder()));
      },
      py::arg("states"), py::arg("history"), py::arg("unit"), py::arg("time"), py::arg("half_life"),
      py::arg("keep_rows"), py::arg("candidates"), py::arg("refuse_unknown"),
      py::arg("refuse_outside"), py::arg("threads"), py::arg("progress"));
  module.def(
      "require_new_rows",
      [](const UnitStates& states, const std::string& unit, const TableSource& table) {
        const py::gil_scoped_release release;
        require_new_rows(unit_columns(&states, unit, ""), table);
      },
      py::arg("states"), py::arg("unit"), py::arg("table"));
}

}  // namespace otss::python
