#include <pybind11/stl.h>

#include <otss/otss.hpp>

#include "log.hpp"
#include "model.hpp"

// The FitReport as nested dicts, which otss._report turns into dataclasses of the same names.
namespace otss::python {
namespace {

namespace py = pybind11;

py::dict quality_to_dict(const PredictionQuality& quality) {
  return py::dict(
      py::arg("log_loss") = quality.log_loss, py::arg("squared_error") = quality.squared_error,
      py::arg("deviance") = quality.deviance, py::arg("explained") = quality.explained,
      py::arg("auc") = quality.auc, py::arg("calibration_slope") = quality.calibration_slope);
}

py::dict gate_to_dict(const GateUse& gate) {
  return py::dict(py::arg("entropy") = gate.entropy,
                  py::arg("effective_experts") = gate.effective_experts,
                  py::arg("effective_experts_overall") = gate.effective_experts_overall,
                  py::arg("usage") = gate.usage);
}

template <class Value, class Convert>
py::object optional_to(const std::optional<Value>& value, const Convert& convert) {
  return value ? py::object(convert(*value)) : py::object(py::none());
}

template <class Value, class Convert>
py::list list_of(const std::vector<Value>& values, const Convert& convert) {
  py::list list;
  for (const Value& value : values) list.append(convert(value));
  return list;
}

py::dict tried_mixture_to_dict(const TriedMixture& tried) {
  return py::dict(py::arg("experts") = tried.experts, py::arg("gate_penalty") = tried.gate_penalty,
                  py::arg("expert_penalty") = tried.expert_penalty,
                  py::arg("learns_relevance") = tried.learns_relevance,
                  py::arg("linear_weights") = tried.linear_weights,
                  py::arg("log_loss") = tried.log_loss, py::arg("weight") = tried.weight);
}

py::dict settings_to_dict(const AveragedSettings& settings) {
  return py::dict(py::arg("kind") = "averaged",
                  py::arg("tried") = list_of(settings.tried, tried_mixture_to_dict),
                  py::arg("chosen") = py::dict(py::arg("experts") = settings.experts));
}

py::dict settings_to_dict(const ComparedSettings& settings) {
  const auto tried = [](const ComparedSettings::Tried& one) {
    py::dict result(py::arg("setting") = one.setting, py::arg("log_loss") = one.log_loss);
    if (one.weight) result["weight"] = *one.weight;
    return result;
  };
  return py::dict(py::arg("kind") = "compared", py::arg("tried") = list_of(settings.tried, tried),
                  py::arg("chosen") = settings.chosen);
}

py::dict choice_to_dict(const ChoiceReport& choice) {
  const auto gate = [](const TriedGate& tried) {
    return py::dict(py::arg("gate") = word(tried.gate), py::arg("log_loss") = tried.log_loss);
  };
  return py::dict(
      py::arg("settings") = std::visit(
          [](const auto& settings) { return settings_to_dict(settings); }, choice.settings),
      py::arg("why") = choice.why, py::arg("split") = choice.split,
      py::arg("gates") = list_of(choice.gates, gate));
}

py::dict segment_to_dict(const SegmentProfile& segment) {
  const auto contrast = [](const ContextContrast& one) {
    return py::dict(py::arg("column") = one.column, py::arg("level") = one.level,
                    py::arg("missing") = one.missing, py::arg("members") = one.members,
                    py::arg("everybody") = one.everybody, py::arg("difference") = one.difference);
  };
  return py::dict(py::arg("share") = segment.share, py::arg("members") = segment.members,
                  py::arg("weights") = segment.weights,
                  py::arg("contrasts") = list_of(segment.contrasts, contrast));
}

py::dict diagnostics_to_dict(const FitDiagnostics& diagnostics) {
  const auto starts = [](const StartsAgreeing& agreeing) {
    return py::dict(py::arg("tried") = agreeing.tried, py::arg("agreeing") = agreeing.agreeing);
  };
  return py::dict(py::arg("quality") = quality_to_dict(diagnostics.quality),
                  py::arg("gate") = optional_to(diagnostics.gate, gate_to_dict),
                  py::arg("starts") = optional_to(diagnostics.starts, starts),
                  py::arg("segments") = list_of(diagnostics.segments, segment_to_dict));
}

py::dict chains_to_dict(const ChainsReport& chains) {
  return py::dict(
      py::arg("experts") = chains.experts, py::arg("gate_columns") = word(chains.gate_columns),
      py::arg("chains") = chains.chains, py::arg("draws") = chains.draws,
      py::arg("acceptance") = chains.acceptance, py::arg("r_hat") = chains.weights.r_hat,
      py::arg("effective_sample") = chains.weights.effective_sample,
      py::arg("warning") = chains.warning);
}

py::dict gain_to_dict(const MeanAndError& gain) {
  const GainVerdict verdict = judge_gain(gain);
  return py::dict(py::arg("gain") = gain.mean, py::arg("standard_error") = gain.standard_error,
                  py::arg("lo") = verdict.lo, py::arg("hi") = verdict.hi,
                  py::arg("supported") = verdict.supported);
}

py::dict deviations_to_dict(const DeviationReport& report) {
  const auto tried = [](const TriedDeviations& one) {
    return py::dict(py::arg("form") = word(one.form), py::arg("rank") = one.rank,
                    py::arg("log_loss") = one.log_loss);
  };
  const auto losses = [](const DeviationLosses& one) {
    return py::dict(py::arg("model") = one.with, py::arg("without") = one.without);
  };
  const auto shares = [](const VariationShares& one) {
    return py::dict(py::arg("decision") = one.decision, py::arg("context") = one.context,
                    py::arg("unit") = one.unit, py::arg("rest") = one.rest);
  };
  return py::dict(py::arg("units") = report.units, py::arg("tried") = list_of(report.tried, tried),
                  py::arg("form") = word(report.chosen), py::arg("supported") = report.supported,
                  py::arg("gain") = gain_to_dict(report.gain),
                  py::arg("known_units") = losses(report.known_units),
                  py::arg("new_units") = optional_to(report.new_units, losses),
                  py::arg("variation") = optional_to(report.variation, shares));
}

py::dict weight_checks_to_dict(const WeightChecks& checks) {
  const auto gate = [](const GateTest& test) {
    return py::dict(py::arg("columns") = test.columns, py::arg("p_value") = test.p_value,
                    py::arg("gain") = test.gain, py::arg("discrepancy") = test.discrepancy);
  };
  return py::dict(py::arg("gate") = optional_to(checks.gate, gate),
                  py::arg("known_share") = checks.known_share,
                  py::arg("failed") = failed_checks(checks));
}

py::dict report_to_dict(const Fitted& fitted) {
  const FitReport& report = fitted.report();
  const auto data = [](const FittedData& log) {
    return py::dict(py::arg("rows") = log.rows, py::arg("fingerprint") = log.fingerprint);
  };
  const auto losses = [](const HeldOutLosses& held_out) {
    return py::dict(py::arg("model") = held_out.model, py::arg("pooled") = held_out.pooled);
  };
  return py::dict(
      py::arg("software") = report.software, py::arg("options") = report.options,
      py::arg("data") = optional_to(report.data, data),
      py::arg("choice") = optional_to(report.choice, choice_to_dict),
      py::arg("held_out") = optional_to(report.held_out, losses),
      py::arg("gain") = optional_to(report.gain, gain_to_dict),
      py::arg("diagnostics") = optional_to(report.diagnostics, diagnostics_to_dict),
      py::arg("chains") = list_of(report.chains, chains_to_dict),
      py::arg("findings") = optional_to(report.findings, findings_to_list),
      py::arg("deviations") = optional_to(report.deviations, deviations_to_dict),
      py::arg("weight_checks") = optional_to(report.weight_checks, weight_checks_to_dict),
      py::arg("uncertainty_warning") = report.uncertainty_warning);
}

}  // namespace

void bind_report(py::module_& module) { module.def("report", &report_to_dict, py::arg("model")); }

}  // namespace otss::python
