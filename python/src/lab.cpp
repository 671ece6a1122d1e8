#include <pybind11/stl.h>

#include <otss/otss.hpp>

#include "fit_options.hpp"
#include "long_task.hpp"
#include "model.hpp"

namespace otss::python {
namespace {

py::dict method_to_dict(const ComparedMethod& compared) {
  const PredictionQuality& quality = compared.quality;
  py::dict row(py::arg("method") = compared.name(), py::arg("log_loss") = quality.log_loss,
               py::arg("squared_error") = quality.squared_error, py::arg("auc") = quality.auc,
               py::arg("explained") = quality.explained,
               py::arg("calibration_slope") = quality.calibration_slope);
  row["effective_experts"] =
      compared.gate ? py::cast(compared.gate->effective_experts) : py::none();
  row["difference"] = compared.difference;
  row["difference_lo"] = compared.difference_lo;
  row["difference_hi"] = compared.difference_hi;
  row["seconds"] = compared.seconds;
  return row;
}

py::dict compare_methods(const LoggedData& log, const std::vector<std::string>& methods,
                         const std::vector<std::string>& treatments, const py::dict& options,
                         double test, double validation, bool refit, int repeats,
                         const py::object& progress) {
  CompareOptions question{.otss = fit_options_from(options),
                          .test = test,
                          .validation = validation,
                          .refit = refit,
                          .repeats = repeats};
  for (const std::string& method : methods)
    question.methods.push_back(word_value<Method>("methods", method));
  question.treatments.clear();
  for (const std::string& treatment : treatments)
    question.treatments.push_back(word_value<Treatment>("treatments", treatment));
  const Comparison comparison =
      long_task(progress, [&](const Progress& report) { return compare(log, question, report); });
  py::list rows;
  for (const ComparedMethod& method : comparison.methods) rows.append(method_to_dict(method));
  return py::dict(py::arg("methods") = rows, py::arg("training_rows") = comparison.training_rows,
                  py::arg("validation_rows") = comparison.validation_rows,
                  py::arg("test_rows") = comparison.test_rows,
                  py::arg("supported") = comparison.supported,
                  py::arg("verdict") = comparison.verdict);
}

// Sets the field of a world that `given` names, and removes it from `given`.
template <class Field>
void take(py::dict& given, const char* name, Field& field) {
  if (!given.contains(name)) return;
  if constexpr (Worded<Field>) {
    field = word_value<Field>(name, given[name].cast<std::string>());
  } else {
    field = given[name].cast<Field>();
  }
  given.attr("pop")(name);
}

template <class Spec>
SimulatedTables write(const Spec& spec, py::dict& left, const std::string& folder,
                      const std::string& world) {
  if (!left.empty()) {
    throw Error(ErrorCode::kUsage, "the world '" + world + "' has no parameter '" +
                                       left.begin()->first.cast<std::string>() + "'");
  }
  const py::gil_scoped_release release;
  return write_simulation(spec, folder);
}

SimulatedTables simulate_world(const std::string& world, const std::string& folder,
                               py::dict given) {
  if (world == "overlap") {
    OverlapSpec spec;
    take(given, "n", spec.n);
    take(given, "tau", spec.tau);
    take(given, "nuisance", spec.nuisance);
    take(given, "score", spec.score);
    take(given, "seed", spec.seed);
    return write(spec, given, folder, world);
  }
  if (world == "matched") {
    MatchedSpec spec;
    take(given, "n", spec.n);
    take(given, "truth", spec.truth);
    take(given, "rand", spec.rand);
    take(given, "experts", spec.experts);
    take(given, "seed", spec.seed);
    return write(spec, given, folder, world);
  }
  if (world == "experts") {
    ExpertsSpec spec;
    take(given, "n", spec.n);
    take(given, "experts", spec.experts);
    take(given, "top", spec.top);
    take(given, "seed", spec.seed);
    return write(spec, given, folder, world);
  }
  if (world == "pooled") {
    PooledSpec spec;
    take(given, "n", spec.n);
    take(given, "seed", spec.seed);
    return write(spec, given, folder, world);
  }
  if (world == "panel") {
    PanelSpec spec;
    take(given, "units", spec.units);
    take(given, "rows", spec.rows);
    take(given, "spread", spec.spread);
    take(given, "experts", spec.experts);
    take(given, "factors", spec.factors);
    take(given, "seed", spec.seed);
    return write(spec, given, folder, world);
  }
  throw Error(ErrorCode::kUsage, "there is no world '" + world +
                                     "'; give 'overlap', 'matched', 'experts', 'pooled' or "
                                     "'panel'");
}

// Reads all columns of a file: {name: list of numbers or texts}.
py::dict read_columns(const TableSource& source) {
  Table table;
  {
    const py::gil_scoped_release release;
    const TableReader reader(source);
    std::vector<ColumnRequest> requests;
    for (const ColumnInfo& column : reader.columns())
      requests.push_back(
          {column.name, column.kind == ColumnKind::kText, TextForm::kVerbatim, true});
    table = read_table(reader, requests);
  }
  py::dict columns;
  for (const Column& column : table.columns) {
    if (column.kind == ColumnKind::kNumber) {
      columns[py::str(column.name)] = py::cast(column.numbers);
      continue;
    }
    py::list texts;
    for (std::size_t i = 0; i < table.num_rows; ++i)
      texts.append(column.missing[i] ? py::object(py::none())
                                     : py::object(py::str(column.texts[i])));
    columns[py::str(column.name)] = texts;
  }
  return columns;
}

}  // namespace

void bind_lab(py::module_& module) {
  module.def("compare", &compare_methods, py::arg("log"), py::arg("methods"), py::arg("treatments"),
             py::arg("options"), py::arg("test"), py::arg("validation"), py::arg("refit"),
             py::arg("repeats"), py::arg("progress"));
  module.def(
      "simulate",
      [](const std::string& world, const std::string& folder, const py::dict& parameters) {
        return simulate_world(world, folder, py::dict(parameters.attr("copy")())).specification;
      },
      py::arg("world"), py::arg("folder"), py::arg("parameters"));
  module.def("read_columns", &read_columns, py::arg("source"));
  module.def("study_names", &study_names);
  module.def(
      "study",
      [](const std::string& name, const std::string& folder, int seeds, std::uint64_t first_seed,
         int threads, bool refit, const std::string& data, const py::object& progress) {
        const StudyOptions options{.seeds = seeds,
                                   .first_seed = first_seed,
                                   .threads = threads,
                                   .refit = refit,
                                   .folder = folder,
                                   .data = data};
        return long_task(progress,
                         [&](const Progress& report) { return run_study(name, options, report); })
            .table;
      },
      py::arg("name"), py::arg("folder"), py::arg("seeds"), py::arg("first_seed"),
      py::arg("threads"), py::arg("refit"), py::arg("data"), py::arg("progress"));
}

}  // namespace otss::python
