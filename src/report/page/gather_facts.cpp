#include "report/page/gather_facts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "otss/base/error.hpp"
#include "report/log/decision_facts.hpp"
#include "report/log/log_pass.hpp"
#include "report/sections/column_facts.hpp"
#include "report/sections/factor_facts.hpp"
#include "report/sections/membership_facts.hpp"
#include "report/sections/movement_facts.hpp"
#include "report/sections/origin_facts.hpp"
#include "report/sections/segment_facts.hpp"
#include "report/sections/what_if_facts.hpp"
#include "report/trust/comparison_file.hpp"
#include "report/trust/trust_facts.hpp"

namespace otss::internal {
namespace {

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

AboutFacts about_facts(const ReportInput& input, const ReportOptions& options) {
  AboutFacts facts{.model = file_name(options.model)};
  if (input.log != nullptr) {
    facts.log = file_name(input.log->name);
    facts.log_rows = input.log->rows;
    facts.sample_rows = input.contexts.num_rows;
  }
  if (const FeasibleSet* feasible = input.feasible)
    facts.feasible = {feasible->is_shared(), file_name(feasible->table()), feasible->size(),
                      feasible->num_contexts()};
  if (!input.fitted.has_uncertainty()) {
    const std::string& warning = input.fitted.report().uncertainty_warning;
    facts.no_intervals_because =
        !warning.empty() ? warning
                         : fmt::format("a model of this kind ({}) has no intervals for its weights",
                                       word(input.fitted.method()));
  }
  return facts;
}

// Reads LOG. Returns nothing without LOG.
std::optional<LogPass> read_log_of(const Fitted& fitted, const ReportOptions& options) {
  if (!options.log) return std::nullopt;
  LogQuestion question{.table = *options.log,
                       .feasible = options.feasible,
                       .decision = options.decision,
                       .units = options.units,
                       .unknown = options.unknown,
                       .outside = options.outside,
                       .seed = options.seed,
                       .threads = options.threads};
  if (options.policy) {
    question.decision = options.policy->columns.decision;
    question.propensity = options.policy->columns.propensity;
    question.group = options.policy->columns.group;
    question.in_sample = options.policy->in_sample;
  }
  return pass_over_log(fitted, question);
}

// Returns why the quality of the predictions is not known although LOG is given, or an empty text.
std::string why_no_quality(const ReportInput& input) {
  const std::string& centered_by = input.fitted.roles().centered_by;
  const bool has_candidates = input.feasible != nullptr && !input.feasible->is_shared();
  if (input.log == nullptr || centered_by.empty() || has_candidates) return "";
  return fmt::format(
      "How good the predictions are on this log is not known: the model counts factors from the "
      "mean "
      "of a context's candidates, so the report needs --candidates CAND --context-id {}",
      centered_by);
}

// Returns how many experts are in use, and how many experts with equal shares would be as diverse.
AnswerFacts answer_facts(const SegmentsFacts& segments, const TrustFacts& trust) {
  AnswerFacts facts{.experts_in_use = segments.in_use};
  if (trust.gate) facts.effective_experts = trust.gate->use.effective_experts_overall;
  return facts;
}

// Returns the share of decisions that are certainly the best, at the level of the report.
std::optional<CertifiedShare> certified_share(const std::optional<DecisionsFacts>& decisions) {
  if (!decisions) return std::nullopt;
  for (const CertifiedShare& one : decisions->curve) {
    if (one.level == kReportLevel) return one;
  }
  return std::nullopt;
}

}  // namespace

Facts gather_facts(const Fitted& fitted, const ReportOptions& options) {
  fitted.weight_map();  // throws an Error if the model has no weights
  ReportInput input{.fitted = fitted,
                    .feasible = options.feasible,
                    .contexts = typical_sample(fitted.encoder()),
                    .threads = options.threads};
  std::optional<LogPass> pass = read_log_of(fitted, options);
  if (pass) {
    input.log = &pass->summary;
    input.contexts = pass->summary.sample;
  }
  Facts facts{.fitted = fitted};
  facts.about = about_facts(input, options);
  facts.factors = factor_facts(input);
  facts.columns = column_facts(input);
  facts.segments = segment_facts(input);
  set_importance(input, facts.segments.average, facts.factors);
  facts.membership = membership_facts(input, facts.segments, sds_of(facts.factors));
  facts.movements = movement_facts(input, facts.factors, facts.segments);
  facts.what_if = what_if_facts(input);
  if (pass) facts.decisions = decision_facts(fitted, *pass, options.feasible, options.threads);
  facts.trust = trust_facts(fitted, pass ? &*pass : nullptr);
  if (const std::string why = why_no_quality(input); !why.empty())
    facts.trust.warnings.push_back(why);
  if (!options.compare.empty()) facts.trust.comparison = read_comparison(options.compare);
  facts.answer = answer_facts(facts.segments, facts.trust);
  if (pass) facts.answer.policy = std::move(pass->policy);
  facts.answer.certified = certified_share(facts.decisions);
  facts.origin = origin_facts(fitted, options.model, options.command);
  return facts;
}

}  // namespace otss::internal
