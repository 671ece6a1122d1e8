#include "model/file/consistency.hpp"

#include <fmt/core.h>

#include <optional>
#include <set>
#include <string>
#include <variant>

namespace otss::internal {
namespace {

std::optional<GateKind> gate_of(const Fitted::Parts& parts) {
  const auto mixture = as_soft_mixture(parts.scorer);
  return mixture == nullptr ? std::nullopt : std::optional(mixture->gate_kind());
}

// Returns true if the gate is an average of linear gates. In a model of OTSS, such an average is
// one of posterior draws, because averages of penalised fits are distilled.
bool averages_linear_gates(const Fitted::Parts& parts) {
  const auto mixture = as_soft_mixture(parts.scorer);
  if (mixture == nullptr) return false;
  const auto* average = std::get_if<AverageGate>(&mixture->gate());
  return average != nullptr && average->is_linear();
}

void check_estimator(const JsonFields& document, const Fitted::Parts& parts) {
  const auto contradicts = [&](const std::string& what) {
    document.fail("estimator",
                  fmt::format("is {}, which {}; fit the model again", word(parts.estimator), what));
  };
  const bool is_otss = parts.method == Method::kOtss;
  const bool paper =
      parts.estimator == Estimator::kPaper || parts.estimator == Estimator::kPaperWide;
  const std::optional<GateKind> gate = gate_of(parts);
  if (!is_otss && parts.estimator != Estimator::kMap)
    contradicts(fmt::format("method {} does not have", word(parts.method)));
  if (paper && (gate != GateKind::kLinear || parts.family != OutputFamily::kBernoulli))
    contradicts("needs a linear gate and 0/1 outcomes");
  if (is_otss && averages_linear_gates(parts) && parts.estimator != Estimator::kBayes)
    contradicts("makes no posterior draws, but the gate is an average of posterior draws");
  if (gate == GateKind::kNetwork && parts.estimator != Estimator::kMap)
    contradicts("does not fit a gate of kind mlp");
}

void check_family(const JsonFields& document, const Fitted::Parts& parts) {
  const bool any_family = parts.method == Method::kOtss || parts.method == Method::kPooled;
  if (parts.family != OutputFamily::kBernoulli && !any_family)
    document.fail("family", fmt::format("is {}, which method {} does not have; fit the model again",
                                        word(parts.family), word(parts.method)));
  const bool may_mix = parts.method == Method::kEm || parts.method == Method::kOtss;
  const bool must_mix = parts.method == Method::kEm;
  if (parts.mixes_probabilities ? !may_mix : must_mix)
    document.fail("mixes_probabilities",
                  "must be true in a model of method em, and false in a model of another method "
                  "than em and otss; fit the model again");
}

void check_uncertainty(const JsonFields& document, const Fitted::Parts& parts) {
  if (as_uncertainty(parts.uncertainty) == nullptr) return;
  const bool has_intervals = parts.method == Method::kOtss || parts.method == Method::kPooled;
  if (!has_intervals)
    document.fail(
        "uncertainty",
        fmt::format("is given, but models of method {} have no uncertainty; fit the model again",
                    word(parts.method)));
  const auto* drawn = std::get_if<std::shared_ptr<const DrawnUncertainty>>(&parts.uncertainty);
  if (drawn == nullptr) return;
  if (parts.mixes_probabilities)
    document.fail("uncertainty",
                  "has draws, but a model that mixes probabilities has a normal law; fit the model "
                  "again");
  if (parts.estimator != Estimator::kBayes && parts.estimator != Estimator::kMap)
    document.fail("uncertainty",
                  fmt::format("has draws, which estimator {} does not make; fit the model again",
                              word(parts.estimator)));
  if ((*drawn)->quadratic() != (gate_of(parts) == GateKind::kQuadratic))
    document.fail("uncertainty",
                  "has draws with another kind of gate than the model has; fit the model again");
}

void check_columns(const JsonFields& document, const Roles& roles) {
  std::set<std::string> names(roles.contexts.begin(), roles.contexts.end());
  names.insert(roles.factors.begin(), roles.factors.end());
  if (roles.outcome.empty())
    document.fail("schema", "names no outcome column; fit the model again");
  for (const std::string& name :
       {roles.outcome, roles.weight, roles.group, roles.time, roles.unit}) {
    if (!name.empty() && !names.insert(name).second)
      document.fail("schema",
                    fmt::format("gives two roles to column '{}'; fit the model again", name));
  }
}

void check_units(const JsonFields& document, const Fitted::Parts& parts) {
  if (!parts.deviations) return;
  if (as_scorer(parts.scorer).as_weight_map() == nullptr || parts.mixes_probabilities)
    document.fail("units",
                  "is given, but deviations of units need a model with weights that does not mix "
                  "probabilities; fit the model again");
  if (parts.roles.unit.empty())
    document.fail("units", "is given, but the schema names no unit column; fit the model again");
}

// Throws an Error if the report says that the model was fitted with another value of this option.
void check_option(const JsonFields& document, const NamedValues& options, const char* name,
                  const std::string& value) {
  const auto found = options.find(name);
  if (found == options.end()) return;
  const auto* given = std::get_if<std::string>(&found->second);
  if (given == nullptr || *given != value)
    document.fail(name,
                  fmt::format("is {}, but the model was fitted with another one, says the field "
                              "'provenance'; fit the model again",
                              value));
}

}  // namespace

void check_consistency(const JsonFields& document, const Fitted::Parts& parts) {
  check_estimator(document, parts);
  check_family(document, parts);
  check_uncertainty(document, parts);
  check_columns(document, parts.roles);
  check_units(document, parts);
  const auto asked = parts.report.options.find("method");
  // A fit with --method auto gives a model of the method otss.
  const bool chosen = asked != parts.report.options.end() &&
                      asked->second == ReportValue(word(Method::kAuto)) &&
                      parts.method == Method::kOtss;
  if (!chosen) check_option(document, parts.report.options, "method", word(parts.method));
  check_option(document, parts.report.options, "family", word(parts.family));
}

}  // namespace otss::internal
