#include "model.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

#include "contexts.hpp"
#include "fit_options.hpp"
#include "log.hpp"
#include "long_task.hpp"
#include "otss/base/device.hpp"
#include "otss/decide/batch_weights.hpp"
#include "python_table.hpp"
#include "units.hpp"

namespace otss::python {
namespace {

using Matrix = py::array_t<double>;

Matrix new_matrix(std::size_t rows, int columns) {
  return Matrix({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)});
}

NewValues new_values(bool refuse_unknown, bool refuse_outside) {
  return {refuse_unknown ? UnknownPolicy::kError : UnknownPolicy::kCount,
          refuse_outside ? OutsidePolicy::kError : OutsidePolicy::kCount};
}

// Calls write(rows, cells of these rows) for consecutive rows, where the cells are those of a new
// matrix. Returns the matrix and the counts of values that did not occur in training.
template <class Write>
py::tuple for_each_context(const Fitted& fitted, const PythonTable& table, bool refuse_unknown,
                           bool refuse_outside, int threads, int columns, const Write& write) {
  Matrix result = new_matrix(table.num_rows(), columns);
  double* cells = result.mutable_data();
  UnknownCounts counts;
  {
    const py::gil_scoped_release release;
    counts = encode_rows_in_parallel(
        fitted, table, new_values(refuse_unknown, refuse_outside), threads,
        [&](const EncodedRows& rows) {
          const auto width = static_cast<std::size_t>(columns);
          write(rows, std::span(cells + rows.first_row * width, rows.num_rows * width));
        });
  }
  return py::make_tuple(result, counts_to_python(counts, fitted.encoder()));
}

Device device_named(const std::string& text) {
  if (const auto device = parse_word<Device>(text)) return *device;
  throw Error(ErrorCode::kUsage, "device is '" + text + "'; give 'cpu' or 'cuda'");
}

py::tuple weights(const Fitted& fitted, const PythonTable& table, bool unknown, bool outside,
                  int threads, const RowUnits* units, const std::string& device) {
  const BatchWeights map(fitted, device_named(device));
  return for_each_context(fitted, table, unknown, outside, threads, fitted.num_factors(),
                          [&](const EncodedRows& rows, std::span<double> w) {
                            map.compute(rows.num_rows, rows.x, w);
                            add_deviations(beliefs_of(units, rows).of_rows(), w);
                          });
}

const Mixture& require_mixture(const Fitted& fitted) {
  if (fitted.mixture() != nullptr) return *fitted.mixture();
  throw Error(ErrorCode::kUsage, "a " + word(fitted.method()) +
                                     " model has no gate; fit OTSS, ClusterThenFit, "
                                     "EMMixture or HardRouting to get one");
}

py::tuple shares(const Fitted& fitted, const PythonTable& table, bool unknown, bool outside,
                 int threads) {
  const Mixture& mixture = require_mixture(fitted);
  return for_each_context(fitted, table, unknown, outside, threads, mixture.num_experts(),
                          [&](const EncodedRows& rows, std::span<double> alpha) {
                            mixture.shares(rows.num_rows, rows.x, alpha);
                          });
}

// Returns weights, lower bounds, upper bounds and counts.
py::tuple intervals(const Fitted& fitted, const PythonTable& table, double level, bool simultaneous,
                    int threads, bool unknown, bool outside, const RowUnits* units,
                    const std::string& device, const py::object& progress) {
  const BatchWeights map(fitted, device_named(device));
  const Coverage coverage = simultaneous ? Coverage::kAllFactors : Coverage::kEachFactor;
  Matrix w = new_matrix(table.num_rows(), fitted.num_factors());
  Matrix lo = new_matrix(table.num_rows(), fitted.num_factors());
  Matrix hi = new_matrix(table.num_rows(), fitted.num_factors());
  double *w_cells = w.mutable_data(), *lo_cells = lo.mutable_data(), *hi_cells = hi.mutable_data();
  const UnknownCounts counts = long_task(progress, [&](const Progress& report) {
    return encode_rows(fitted, table, new_values(unknown, outside), [&](const EncodedRows& rows) {
      const auto width = static_cast<std::size_t>(fitted.num_factors());
      const std::size_t first = rows.first_row * width, count = rows.num_rows * width;
      const BeliefsOfRows beliefs = beliefs_of(units, rows);
      map.compute(rows.num_rows, rows.x, {w_cells + first, count});
      add_deviations(beliefs.of_rows(), {w_cells + first, count});
      fitted.intervals(rows.num_rows, rows.x, level, {lo_cells + first, count},
                       {hi_cells + first, count}, coverage, threads, beliefs.of_rows());
      if (report)
        report(static_cast<double>(rows.first_row) / static_cast<double>(table.num_rows()),
               "intervals");
    });
  });
  return py::make_tuple(w, lo, hi, counts_to_python(counts, fitted.encoder()));
}

// Fills `values` with the entries of a float64 array of one dimension.
void take_numbers(const py::array_t<double>& array, std::vector<RawValue>& values) {
  const auto view = array.unchecked<1>();
  values.clear();
  for (py::ssize_t i = 0; i < view.shape(0); ++i) values.emplace_back(view(i));
}

// The weights of one context that is an array of numbers. This function is for calls that need
// little time: one context per call.
py::object weights_of_row(const Fitted& fitted, const py::array_t<double>& row) {
  thread_local std::vector<RawValue> values;
  thread_local std::vector<double> x;
  take_numbers(row, values);
  x.resize(static_cast<std::size_t>(fitted.num_contexts()));
  UnknownCounts counts;
  fitted.encoder().encode(values, x, {.table = "contexts", .counts = &counts});
  py::array_t<double> w(fitted.num_factors());
  fitted.weights(x, {w.mutable_data(), static_cast<std::size_t>(fitted.num_factors())});
  const py::object unusual = counts_to_python(counts, fitted.encoder());
  if (unusual.is_none()) return w;
  return py::make_tuple(w, unusual);
}

RawValue raw_value(const py::handle& value, const std::string_view column) {
  if (PyFloat_Check(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  if (PyUnicode_Check(value.ptr())) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (text == nullptr) throw py::error_already_set();
    return std::string_view(text, static_cast<std::size_t>(size));
  }
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() == nullptr) return number;
  PyErr_Clear();
  throw Error(ErrorCode::kInput, "the value of '" + std::string(column) + "' is of type " +
                                     Py_TYPE(value.ptr())->tp_name +
                                     "; give a number, a text, or None if it is missing");
}

// Encodes one context that is a dict of named values.
UnknownCounts encode_named(const Fitted& fitted, const py::dict& row, std::span<double> x) {
  thread_local std::vector<RawValue> values;
  values.clear();
  const Encoder& encoder = fitted.encoder();
  for (const ContextColumn& column : encoder.contexts) {
    PyObject* value = PyDict_GetItemString(row.ptr(), column.name.c_str());
    if (value == nullptr)
      throw Error(ErrorCode::kInput,
                  "the context has no value of '" + column.name +
                      "'; give every context column, with None if it is missing");
    const bool is_text = column.kind == ColumnKind::kText;
    if (value == Py_None) {
      if (is_text) {
        values.emplace_back(std::string_view());
      } else {
        values.emplace_back(std::nan(""));
      }
    } else {
      values.push_back(raw_value(value, column.name));
    }
    if ((values.back().kind == ColumnKind::kText) != is_text)
      throw Error(ErrorCode::kInput,
                  "the value of '" + column.name + "' must be a " + (is_text ? "text" : "number") +
                      ", because the model was fitted on " + (is_text ? "texts" : "numbers"));
  }
  if (row.size() != encoder.contexts.size()) {
    for (const auto& [name, value] : row) {
      const auto given = name.cast<std::string>();
      const auto is_known = [&](const ContextColumn& column) { return column.name == given; };
      if (std::none_of(encoder.contexts.begin(), encoder.contexts.end(), is_known))
        throw Error(ErrorCode::kInput, "the model has no context column '" + given + "'");
    }
  }
  UnknownCounts counts;
  encoder.encode(values, x, {.table = "contexts", .counts = &counts});
  return counts;
}

// The weights of one context that is a dict: {factor: weight}.
py::object weights_of_dict(const Fitted& fitted, const py::dict& row) {
  thread_local std::vector<double> x, w;
  x.resize(static_cast<std::size_t>(fitted.num_contexts()));
  w.resize(static_cast<std::size_t>(fitted.num_factors()));
  const UnknownCounts counts = encode_named(fitted, row, x);
  fitted.weights(x, w);
  py::dict result;
  for (std::size_t j = 0; j < w.size(); ++j)
    result[py::str(fitted.encoder().factors[j].name)] = w[j];
  const py::object unusual = counts_to_python(counts, fitted.encoder());
  if (unusual.is_none()) return result;
  return py::make_tuple(result, unusual);
}

// Returns mean outcomes, lower and upper bounds (empty unless level > 0) and counts. The table has
// the columns of contexts and factors by name.
py::tuple predictions(const Fitted& fitted, const TableSource& table, double level, bool unknown,
                      bool outside, int threads, const std::optional<TableSource>& candidates,
                      const UnitStates* units, const std::string& unit, const std::string& time,
                      const py::object& progress) {
  std::vector<double> mean, lo, hi;
  const NewValues policy = new_values(unknown, outside);
  const UnknownCounts counts = long_task(progress, [&](const Progress&) {
    std::optional<FeasibleSet> feasible;
    const std::string& context_id = fitted.roles().centered_by;
    if (candidates && !context_id.empty()) {
      feasible = read_candidates(TableReader(fitted.encoder().as_trained(*candidates)), context_id,
                                 "", fitted.factor_names());
    }
    const PredictOptions options{.level = level,
                                 .centered_by = feasible ? &*feasible : nullptr,
                                 .units = unit_columns(units, unit, time),
                                 .unknown = policy.unknown,
                                 .outside = policy.outside,
                                 .threads = threads};
    return predict(fitted, TableReader(fitted.encoder().as_trained(table)), options,
                   [&](const PredictedRows& rows) {
                     mean.insert(mean.end(), rows.mean.begin(), rows.mean.end());
                     lo.insert(lo.end(), rows.lo.begin(), rows.lo.end());
                     hi.insert(hi.end(), rows.hi.begin(), rows.hi.end());
                   });
  });
  const auto array = [](const std::vector<double>& values) {
    return Matrix(static_cast<py::ssize_t>(values.size()), values.data());
  };
  return py::make_tuple(array(mean), array(lo), array(hi),
                        counts_to_python(counts, fitted.encoder()));
}

// What is found in a log beside the fit.
struct Looked {
  Findings problems, persons;
  std::optional<MissingTerm> missing;

  // Returns everything that was found, the most severe first.
  Findings all(const LoggedData& log) const {
    Findings result;
    for (const std::string& note : log.notes())
      result.push_back({Severity::kNote, "reading", note});
    result.insert(result.end(), problems.begin(), problems.end());
    if (missing) result.push_back(finding_of(*missing));
    result.insert(result.end(), persons.begin(), persons.end());
    std::ranges::stable_sort(result, {}, &Finding::severity);
    return result;
  }
};

// Fits the model and looks at the log at the same time, as `otss fit` does. `source` is the table
// that the log was read from. The report of the model has what was found.
Fitted fit_log(const LoggedData& log, const TableSource& source, const py::dict& options,
               const std::string& terms, const std::optional<Fitted>& init,
               const py::object& progress) {
  FitOptions chosen = fit_options_from(options);
  if (init) chosen.init = std::make_shared<const Fitted>(*init);
  const TermOptions term_options{
      .family = chosen.family, .seed = chosen.seed, .threads = chosen.threads};
  const bool has_all_terms =
      word_value<Terms>("terms", terms) == Terms::kAuto || !log.roles().centered_by.empty();
  return long_task(progress, [&](const Progress& report) {
    std::optional<Fitted> fitted;
    Looked found;
    run_tasks({[&] { fitted = fit(log, chosen, report); },
               [&] { found.problems = find_problems(log, chosen.family, chosen.threads); },
               [&] { found.persons = find_persons(source, log.roles()); },
               [&] {
                 if (!has_all_terms) found.missing = find_missing_term(log, term_options);
               }},
              chosen.threads);
    FitReport with_findings = fitted->report();
    with_findings.findings = found.all(log);
    return fitted->with_report(std::move(with_findings));
  });
}

// Returns the columns that a table of contexts must have, as (name, kind).
std::vector<std::pair<std::string, std::string>> context_columns(const Fitted& fitted) {
  const Encoder& encoder = fitted.encoder();
  std::vector<std::pair<std::string, std::string>> columns;
  if (encoder.reading.dates.empty()) {
    for (const ContextColumn& column : encoder.contexts)
      columns.emplace_back(column.name, column.kind == ColumnKind::kText ? "text" : "number");
    return columns;
  }
  for (const std::string& name : roles_in_file(fitted.roles(), encoder.reading).contexts) {
    const auto is_it = [&](const ContextColumn& column) { return column.name == name; };
    const auto found = std::find_if(encoder.contexts.begin(), encoder.contexts.end(), is_it);
    const bool is_time = found == encoder.contexts.end();
    columns.emplace_back(name, is_time                            ? "time"
                               : found->kind == ColumnKind::kText ? "text"
                                                                  : "number");
  }
  return columns;
}

// Returns the columns that a table of factors must have, as (name, kind).
std::vector<std::pair<std::string, std::string>> factor_columns(const Fitted& fitted) {
  const Encoder& encoder = fitted.encoder();
  std::vector<std::pair<std::string, std::string>> columns;
  const auto add = [&](const std::string& name, const char* kind) {
    for (const auto& [known, other] : columns) {
      if (known == name) return;
    }
    columns.emplace_back(name, kind);
  };
  for (const std::string& name : encoder.own_factors()) {
    const TextFactor* made_from = nullptr;
    for (const TextFactor& rule : encoder.reading.text_factors) {
      const auto names = rule.names();
      if (std::find(names.begin(), names.end(), name) != names.end()) made_from = &rule;
    }
    add(made_from != nullptr ? made_from->column : name, made_from != nullptr ? "text" : "number");
  }
  return columns;
}

Matrix experts(const Fitted& fitted) {
  const int num_experts = fitted.num_experts();
  Matrix result = new_matrix(static_cast<std::size_t>(num_experts), fitted.num_factors());
  for (int k = 0; k < num_experts; ++k)
    std::ranges::copy(fitted.mixture()->expert(k), result.mutable_data(k, 0));
  return result;
}

// Returns lower and upper bounds of the experts' weights, K × J each.
py::tuple expert_intervals(const Fitted& fitted, double level) {
  const auto rows = static_cast<std::size_t>(fitted.num_experts());
  Matrix lo = new_matrix(rows, fitted.num_factors());
  Matrix hi = new_matrix(rows, fitted.num_factors());
  const std::size_t size = rows * static_cast<std::size_t>(fitted.num_factors());
  fitted.expert_intervals(level, {lo.mutable_data(), size}, {hi.mutable_data(), size});
  return py::make_tuple(lo, hi);
}

void bind_files(py::class_<Fitted>& model) {
  const auto from_pickle = [](const std::string& text) {
    return model_from_text(text, "the pickled model");
  };
  model.def("to_text", &model_to_text)
      .def(py::pickle(&model_to_text, from_pickle))
      .def("checksum", &model_checksum)
      .def("onnx", [](const Fitted& fitted) { return py::bytes(onnx_model(fitted)); })
      .def("export_onnx",
           [](const Fitted& fitted, const std::string& path) {
             const py::gil_scoped_release release;
             export_onnx(fitted, path);
           })
      .def("save",
           [](const Fitted& fitted, const std::string& path) {
             const py::gil_scoped_release release;
             save_model(fitted, path);
           })
      .def_static("load",
                  [](const std::string& path) {
                    const py::gil_scoped_release release;
                    return load_model(path);
                  })
      .def_static("from_text", [](const std::string& text, const std::string& name) {
        return model_from_text(text, name);
      });
}

void bind_description(py::class_<Fitted>& model) {
  model.def_property_readonly("method", [](const Fitted& fitted) { return word(fitted.method()); })
      .def_property_readonly("estimator",
                             [](const Fitted& fitted) { return word(fitted.estimator()); })
      .def_property_readonly("family", [](const Fitted& fitted) { return word(fitted.family()); })
      .def_property_readonly("gate",
                             [](const Fitted& fitted) -> std::optional<std::string> {
                               if (fitted.mixture() == nullptr) return std::nullopt;
                               return word(fitted.mixture()->gate_kind());
                             })
      .def_property_readonly("factor_names", &Fitted::factor_names)
      .def_property_readonly("context_columns", &context_columns)
      .def_property_readonly("factor_columns", &factor_columns)
      .def_property_readonly("own_factors",
                             [](const Fitted& fitted) { return fitted.encoder().own_factors(); })
      .def_property_readonly("centered_by",
                             [](const Fitted& fitted) { return fitted.roles().centered_by; })
      .def_property_readonly("roles",
                             [](const Fitted& fitted) { return roles_to_dict(fitted.roles()); })
      .def_property_readonly("num_experts", &Fitted::num_experts)
      .def_property_readonly("experts", &experts)
      .def_property_readonly("has_weights", &Fitted::has_weights)
      .def_property_readonly("has_uncertainty", &Fitted::has_uncertainty)
      .def_property_readonly("has_expert_intervals", &Fitted::has_expert_intervals)
      .def_property_readonly("has_units",
                             [](const Fitted& fitted) { return fitted.deviations() != nullptr; })
      .def_property_readonly("has_mean_intervals", &Fitted::has_mean_intervals)
      .def_property_readonly("needs_reader",
                             [](const Fitted& fitted) { return needs_reader(fitted.encoder()); });
}

}  // namespace

void bind_model(py::module_& module) {
  py::class_<Fitted> model(module, "Model");
  bind_files(model);
  bind_description(model);
  model.def("weights", &weights)
      .def("shares", &shares)
      .def("intervals", &intervals)
      .def("expert_intervals", &expert_intervals)
      .def("weights_of_row", &weights_of_row)
      .def("weights_of_dict", &weights_of_dict)
      .def("predict", &predictions);
  module.def("fit", &fit_log, py::arg("log"), py::arg("source"), py::arg("options"),
             py::arg("terms"), py::arg("init"), py::arg("progress"));
}

}  // namespace otss::python
