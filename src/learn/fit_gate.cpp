#include "learn/fit_gate.hpp"

#include <fmt/core.h>

#include <optional>
#include <vector>

#include "learn/estimate/large_log.hpp"
#include "learn/options/defaults.hpp"
#include "model/maps/quadratic.hpp"

namespace otss::internal {
namespace {

std::vector<GateChoice> kinds_to_try(const LoggedData& log, const FitOptions& options) {
  std::vector<GateChoice> kinds{GateChoice::kLinear};
  const std::size_t columns = num_quadratic_columns(log.num_contexts());
  if (log.num_contexts() > 0 && columns <= defaults::kMostQuadraticColumns &&
      columns < log.num_rows() / 4)
    kinds.push_back(GateChoice::kQuadratic);
  const bool plain =
      options.family == OutputFamily::kBernoulli && options.sign.empty() && options.bounds.empty();
  if (log.num_contexts() > 0 && plain) kinds.push_back(GateChoice::kMlp);
  return kinds;
}

struct HeldOutLoss {
  double mean = 0;
  double standard_error = 0;  // standard error of the gain over the pooled model
};

HeldOutLoss held_out_loss(const FitReport& report) {
  return {report.held_out.value().model, report.gain.value().standard_error};
}

// Returns the index of the best gate by the one-standard-error rule (Breiman et al. 1984): a more
// flexible gate replaces the best gate so far only if its loss is lower by more than one standard
// error. `losses` are ordered from the simplest to the most flexible gate.
std::size_t best_of(const std::vector<HeldOutLoss>& losses) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < losses.size(); ++i) {
    if (losses[best].mean - losses[i].mean > losses[i].standard_error) best = i;
  }
  return best;
}

Fitted with_record(const Fitted& fitted, std::vector<TriedGate> gates) {
  FitReport report = fitted.report();
  report.choice.value().gates = std::move(gates);
  report.options["gate"] = word(GateChoice::kAuto);
  return fitted.with_report(std::move(report));
}

// Returns the estimator that is used when the kinds of gate are compared. The network gate accepts
// only kAuto, because it has an estimator of its own.
Estimator comparable(GateChoice kind) {
  return kind == GateChoice::kMlp ? Estimator::kAuto : Estimator::kMap;
}

// Returns the rows on which the gates of a large log are compared; nothing if the log is not large.
std::optional<LoggedData> sample_of(const LoggedData& log, const FitOptions& options) {
  const MixtureLayout largest{log.num_contexts(), log.num_factors(), defaults::kExperts.back()};
  const auto samples = large_log_samples(log, options, largest.size());
  return samples ? std::optional(rows_of(log, samples->first)) : std::nullopt;
}

}  // namespace

Fitted fit_best_gate(const LoggedData& log, const FitOptions& options, const Progress& progress) {
  const std::vector<GateChoice> kinds = kinds_to_try(log, options);
  const double part = 1.0 / static_cast<double>(kinds.size() + 1);
  const auto one = [&](const LoggedData& rows, GateChoice kind, Estimator estimator, double begin) {
    FitOptions single = options;
    single.gate = kind;
    single.estimator = estimator;
    return fit(rows, single, [&](double done, std::string_view) {
      if (progress) progress(begin + part * done, fmt::format("{} gate", word(kind)));
    });
  };
  // All kinds of gate are compared on the same folds, those of a large log on the folds of a
  // sample. Then the best kind is fitted with the estimator that the user asked for.
  const std::optional<LoggedData> sample = sample_of(log, options);
  std::vector<TriedGate> gates;
  std::vector<HeldOutLoss> losses;
  for (const GateChoice kind : kinds) {
    const double begin = part * static_cast<double>(losses.size());
    losses.push_back(
        held_out_loss(one(sample ? *sample : log, kind, comparable(kind), begin).report()));
    gates.push_back({kind, losses.back().mean});
  }
  const std::size_t best = best_of(losses);
  const bool network = kinds[best] == GateChoice::kMlp;
  return with_record(
      one(log, kinds[best], network ? Estimator::kAuto : options.estimator, 1 - part),
      std::move(gates));
}

}  // namespace otss::internal
