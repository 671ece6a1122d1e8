#include "report/page/gather_facts.hpp"

#include <algorithm>
#include <filesystem>

#include "otss/base/error.hpp"
#include "report/sections/column_facts.hpp"
#include "report/sections/factor_facts.hpp"
#include "report/sections/membership_facts.hpp"
#include "report/sections/movement_facts.hpp"
#include "report/sections/origin_facts.hpp"
#include "report/sections/segment_facts.hpp"
#include "report/sections/what_if_facts.hpp"

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
    facts.no_intervals_because = input.fitted.report().uncertainty_warning;
  }
  return facts;
}

// Returns how many experts are in use, and how many experts with equal shares would be as diverse.
AnswerFacts answer_facts(const SegmentsFacts& segments, const TrustFacts& trust) {
  AnswerFacts facts{.experts_in_use = static_cast<int>(segments.list.size())};
  if (trust.gate) facts.effective_experts = trust.gate->use.effective_experts_overall;
  return facts;
}

}  // namespace

Facts gather_facts(const Fitted& fitted, const ReportOptions& options) {
  fitted.weight_map();  // throws an Error if the model has no weights
  ReportInput input{.fitted = fitted,
                    .feasible = options.feasible,
                    .contexts = typical_sample(fitted.encoder()),
                    .threads = options.threads};
  Facts facts{.fitted = fitted};
  facts.about = about_facts(input, options);
  facts.factors = factor_facts(input);
  facts.columns = column_facts(input);
  facts.segments = segment_facts(input);
  set_importance(input, facts.segments.average, facts.factors);
  facts.membership = membership_facts(input, facts.segments, sds_of(facts.factors));
  facts.movements = movement_facts(input, facts.factors, facts.segments);
  facts.what_if = what_if_facts(input);
  facts.answer = answer_facts(facts.segments, facts.trust);
  facts.origin = origin_facts(fitted, options.model, options.command);
  return facts;
}

}  // namespace otss::internal
