#include <pybind11/stl.h>

#include <optional>

#include "contexts.hpp"
#include "long_task.hpp"
#include "model.hpp"
#include "units.hpp"

namespace otss::python {
namespace {

py::tuple pair(const Bounds& bounds) { return py::make_tuple(bounds.lo, bounds.hi); }

// The names of the measures are those of `otss evaluate --json`.
void add_measures(const Fitted& fitted, const Evaluation& evaluation, py::dict& values,
                  py::dict& intervals) {
  const auto add = [&](const char* name, double value, const Bounds& bounds) {
    values[name] = value;
    intervals[name] = pair(bounds);
  };
  if (evaluation.quality) {
    const PredictionQuality& quality = *evaluation.quality;
    const QualityIntervals& bounds = *evaluation.quality_intervals;
    add("log_loss", quality.log_loss, bounds.log_loss);
    if (fitted.family() == OutputFamily::kBernoulli) {
      add("brier", quality.squared_error, bounds.squared_error);
      add("auc", quality.auc, bounds.auc);
    } else {
      add("squared_error", quality.squared_error, bounds.squared_error);
      add("deviance", quality.deviance, bounds.deviance);
      add("explained", quality.explained, bounds.explained);
    }
    add("calibration_slope", quality.calibration_slope, bounds.calibration_slope);
  }
  if (evaluation.truth) {
    const TruthScore& truth = *evaluation.truth;
    const TruthIntervals& bounds = *evaluation.truth_intervals;
    add("weight_mse", truth.weight_mse, bounds.weight_mse);
    if (!std::isnan(truth.regret)) {
      add("weight_mse_scaled", truth.weight_mse_scaled, bounds.weight_mse_scaled);
      add("regret", truth.regret, bounds.regret);
      add("match_rate", truth.match_rate, bounds.match_rate);
    }
  }
}

py::object policy_to_python(const std::optional<EvaluatedPolicy>& policy) {
  if (!policy) return py::none();
  const PolicyValue& value = policy->value;
  const auto estimate = [](const ValueEstimate& one) {
    return py::make_tuple(one.value, one.lo, one.hi);
  };
  return py::dict(
      py::arg("ips") = estimate(value.ips), py::arg("snips") = estimate(value.snips),
      py::arg("direct") = estimate(value.direct),
      py::arg("doubly_robust") = estimate(value.doubly_robust),
      py::arg("logging") = estimate(value.logging), py::arg("gain") = estimate(value.gain),
      py::arg("level") = value.level, py::arg("rows") = value.num_rows,
      py::arg("effective_sample_size") = value.effective_sample_size,
      py::arg("agreement") = value.agreement, py::arg("never_logged") = value.never_logged,
      py::arg("in_sample") = policy->in_sample, py::arg("warnings") = policy->warnings);
}

py::dict evaluation_to_dict(const Fitted& fitted, const Evaluation& evaluation) {
  py::dict values, intervals;
  add_measures(fitted, evaluation, values, intervals);
  py::object gate = py::none();
  if (evaluation.gate) {
    gate =
        py::dict(py::arg("entropy") = evaluation.gate->entropy,
                 py::arg("effective_experts") = evaluation.gate->effective_experts,
                 py::arg("effective_experts_overall") = evaluation.gate->effective_experts_overall,
                 py::arg("usage") = evaluation.gate->usage);
  }
  return py::dict(py::arg("rows") = evaluation.rows, py::arg("values") = values,
                  py::arg("intervals") = intervals, py::arg("gate") = gate,
                  py::arg("segment_agreement") = evaluation.segment_agreement,
                  py::arg("level") = evaluation.level, py::arg("num_units") = evaluation.num_units,
                  py::arg("group") = evaluation.group, py::arg("in_sample") = evaluation.in_sample,
                  py::arg("policy") = policy_to_python(evaluation.policy),
                  py::arg("counts") = counts_to_python(evaluation.unknown, fitted.encoder()));
}

// The tables and names of a question to evaluate().
struct EvaluateQuestion {
  TableSource table;
  std::optional<TableSource> truth, library, candidates;
  std::string id, context_id, segments, decision, propensity, group;
  double level = 0.9;
  bool in_sample = false, refuse_unknown = false, refuse_outside = false;
  UnitColumns units = {};
};

Evaluation answer(const Fitted& fitted, const EvaluateQuestion& question) {
  EvaluateOptions options{.segments = question.segments, .level = question.level};
  options.truth = question.truth;
  options.group = question.group;
  options.units = question.units;
  options.unknown = question.refuse_unknown ? UnknownPolicy::kError : UnknownPolicy::kCount;
  options.outside = question.refuse_outside ? OutsidePolicy::kError : OutsidePolicy::kCount;
  if (!question.propensity.empty()) {
    options.policy = PolicyQuestion{.columns = {.decision = question.decision,
                                                .propensity = question.propensity,
                                                .group = question.group},
                                    .level = question.level,
                                    .in_sample = question.in_sample};
  }
  std::optional<FeasibleSet> feasible, candidates;
  const auto reader = [&](const TableSource& source) {
    return TableReader(fitted.encoder().as_trained(source));
  };
  if (question.candidates) {
    candidates = read_candidates(reader(*question.candidates), question.context_id, question.id,
                                 fitted.factor_names());
    options.centered_by = options.feasible = &*candidates;
  }
  if (question.library) {
    feasible = read_library(reader(*question.library), question.id, fitted.factor_names());
    options.feasible = &*feasible;
  }
  return evaluate(fitted, question.table, options);
}

}  // namespace

void bind_evaluate(py::module_& module) {
  module.def(
      "evaluate",
      [](const Fitted& fitted, const TableSource& table, const std::optional<TableSource>& truth,
         const std::optional<TableSource>& library, const std::optional<TableSource>& candidates,
         const py::dict& names, double level, bool in_sample, bool refuse_unknown,
         bool refuse_outside, const UnitStates* units, const py::object& progress) {
        const auto name = [&](const char* key) { return names[key].cast<std::string>(); };
        const EvaluateQuestion question{table,
                                        truth,
                                        library,
                                        candidates,
                                        name("id"),
                                        name("context_id"),
                                        name("segments"),
                                        name("decision"),
                                        name("propensity"),
                                        name("group"),
                                        level,
                                        in_sample,
                                        refuse_unknown,
                                        refuse_outside,
                                        unit_columns(units, name("unit"), name("time"))};
        return evaluation_to_dict(
            fitted, long_task(progress, [&](const Progress&) { return answer(fitted, question); }));
      },
      py::arg("model"), py::arg("table"), py::arg("truth"), py::arg("library"),
      py::arg("candidates"), py::arg("names"), py::arg("level"), py::arg("in_sample"),
      py::arg("refuse_unknown"), py::arg("refuse_outside"), py::arg("units"), py::arg("progress"));
}

}  // namespace otss::python
