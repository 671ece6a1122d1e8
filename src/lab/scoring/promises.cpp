#include "lab/scoring/promises.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "lab/worlds/truth.hpp"
#include "otss/decide/certify.hpp"
#include "otss/decide/decider.hpp"

namespace otss::internal {
namespace {

constexpr double kPromisedLevel = 0.9;
// More contexts would not help, because the variation between seeds is much larger.
constexpr std::size_t kPromisedContexts = 400;

double coverage_of(const Simulation& s, const Fitted& fitted, const Contexts& contexts) {
  const std::size_t count = contexts.num_rows * s.num_factors;
  std::vector<double> lo(count), hi(count);
  fitted.intervals(contexts.num_rows, contexts.x, kPromisedLevel, lo, hi, {}, 1);
  double covered = 0;
  for (std::size_t i = 0; i < count; ++i)
    covered += lo[i] <= s.test.weights[i] && s.test.weights[i] <= hi[i] ? 1 : 0;
  return covered / static_cast<double>(count);
}

// Returns true if no feasible decision of the row has a higher true score than `chosen`.
bool is_best(const Simulation& s, std::size_t row, std::span<const double> chosen) {
  const auto truth = std::span(s.test.weights).subspan(row * s.num_factors, s.num_factors);
  const auto score = [&](std::span<const double> z) {
    return std::inner_product(truth.begin(), truth.end(), z.begin(), 0.0);
  };
  constexpr double kRounding = 1e-12;
  const ContextDecisions open = s.decisions(s.test).at(row);
  for (std::size_t d = 0; d < open.size(); ++d) {
    if (score(open.factors(d)) > score(chosen) + kRounding) return false;
  }
  return true;
}

void add_certificates(const Simulation& s, const Fitted& fitted, const Contexts& contexts,
                      Scorecard& measured) {
  const FeasibleSet& feasible = s.decisions(s.test);
  const std::vector<Decision> decisions = decide(fitted.scorer(), contexts, feasible);
  const std::vector<Certificate> certificates =
      certify(fitted, contexts, decisions, feasible, {.level = kPromisedLevel});
  const double share = 1 / static_cast<double>(contexts.num_rows);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (!certificates[i].certified) continue;
    measured.certified += share;
    if (!is_best(s, decisions[i].row, feasible.factors_of(decisions[i].index)))
      measured.certified_wrong += share;
  }
}

}  // namespace

void measure_promises(const Simulation& s, const Fitted& fitted, Scorecard& measured) {
  const std::vector<double> x = encoded_test_contexts(s, fitted);
  const std::size_t count = std::min(kPromisedContexts, s.test.num_rows);
  std::vector<std::string> ids;  // the ids of decisions_by_row()
  for (std::size_t i = 1; i <= count; ++i) ids.push_back(fmt::format("{}", i));
  const Contexts contexts{count, std::span(x).first(count * fitted.num_contexts()), ids};
  measured.certified = measured.certified_wrong = 0;
  if (fitted.has_uncertainty()) {
    measured.coverage = coverage_of(s, fitted, contexts);
    add_certificates(s, fitted, contexts, measured);
  }
  const WeightChecks checks = fitted.report().weight_checks.value_or(WeightChecks{});
  measured.known_share = checks.known_share.value_or(Scorecard::kNone);
  measured.misfit = checks.gate && !checks.gate->fits() ? 1 : 0;
  measured.flagged = failed_checks(checks).empty() ? 0 : 1;
}

}  // namespace otss::internal
