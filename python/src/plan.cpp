#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <limits>
#include <optional>

#include "long_task.hpp"
#include "model.hpp"

namespace otss::python {
namespace {

namespace py = pybind11;

using DenseMatrix = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Refuses terms: with them, the score is not linear in the variables of a plan.
void refuse_terms(const Fitted& fitted) {
  if (!fitted.encoder().has_terms()) return;
  throw Error(ErrorCode::kUsage,
              "the model has terms of its factors, so its score is not linear in the variables of "
              "a plan; fit the model without terms");
}

FactorMap factor_map(const Fitted& fitted, const TableSource& source) {
  refuse_terms(fitted);
  return read_factor_map(TableReader(source), fitted.factor_names());
}

// Returns the coefficients of the variables (rows × variables), the constants and the names.
py::tuple objective(const Fitted& fitted, const DenseMatrix& w, const TableSource& source) {
  const FactorMap map = factor_map(fitted, source);
  const auto rows = static_cast<std::size_t>(w.shape(0));
  const auto factors = static_cast<std::size_t>(w.shape(1));
  DenseMatrix coefficients({w.shape(0), static_cast<py::ssize_t>(map.variables.size())});
  DenseMatrix constants(w.shape(0));
  for (std::size_t i = 0; i < rows; ++i) {
    const std::span<const double> weights(w.data() + i * factors, factors);
    const std::vector<double> c = weighted_objective(map, weights);
    std::copy(c.begin(), c.end(), coefficients.mutable_data() + i * c.size());
    constants.mutable_data()[i] = weighted_constant(map, weights);
  }
  return py::make_tuple(coefficients, constants, map.variables);
}

struct PlanAnswers {
  std::vector<std::string> variables;
  std::vector<MilpAnswer> answers;
};

py::dict answers_to_dict(const PlanAnswers& solved, int num_factors) {
  const auto rows = static_cast<py::ssize_t>(solved.answers.size());
  const auto variables = static_cast<py::ssize_t>(solved.variables.size());
  std::vector<std::string> status;
  DenseMatrix values({rows, variables}), totals({rows, static_cast<py::ssize_t>(num_factors)});
  py::array_t<double> objectives(rows), bounds(rows), gaps(rows);
  for (py::ssize_t i = 0; i < rows; ++i) {
    const MilpAnswer& one = solved.answers[static_cast<std::size_t>(i)];
    status.emplace_back(name_of(one.status));
    objectives.mutable_at(i) = one.objective;
    bounds.mutable_at(i) = one.bound;
    gaps.mutable_at(i) = one.gap;
    double* point = values.mutable_data(i, 0);
    std::fill_n(point, variables, std::numeric_limits<double>::quiet_NaN());
    std::copy(one.values.begin(), one.values.end(), point);
    std::copy(one.factor_totals.begin(), one.factor_totals.end(), totals.mutable_data(i, 0));
  }
  return py::dict(py::arg("status") = status, py::arg("objective") = objectives,
                  py::arg("bound") = bounds, py::arg("gap") = gaps, py::arg("values") = values,
                  py::arg("factor_totals") = totals, py::arg("variables") = solved.variables);
}

py::dict decide_plan(const Fitted& fitted, const DenseMatrix& w, const std::string& path,
                     const TableSource& map_source, const std::optional<TableSource>& overrides,
                     double time_limit, double gap, bool keep_objective, int threads,
                     const py::object& progress) {
  const auto rows = static_cast<std::size_t>(w.shape(0));
  const std::span<const double> weights(w.data(), static_cast<std::size_t>(w.size()));
  const PlanAnswers solved = long_task(progress, [&](const Progress&) {
    MilpPlan plan = read_milp_plan(path);
    MilpOverrides changes;
    if (overrides) changes = read_milp_overrides(TableReader(*overrides), plan);
    const MilpBridge bridge(std::move(plan), factor_map(fitted, map_source), std::move(changes),
                            {.time_limit_seconds = time_limit,
                             .gap = gap,
                             .keep_objective = keep_objective,
                             .num_threads = threads});
    bridge.check_rows(rows, "contexts");
    return PlanAnswers{bridge.plan().variables, bridge.solve(0, rows, weights)};
  });
  return answers_to_dict(solved, fitted.num_factors());
}

}  // namespace

void bind_plan(py::module_& module) {
  module.def("objective", &objective, py::arg("model"), py::arg("weights"), py::arg("factor_map"));
  module.def("decide_plan", &decide_plan, py::arg("model"), py::arg("weights"), py::arg("plan"),
             py::arg("factor_map"), py::arg("overrides"), py::arg("time_limit"), py::arg("gap"),
             py::arg("keep_objective"), py::arg("threads"), py::arg("progress"));
}

}  // namespace otss::python
