#include "otss/learn/check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "base/threads.hpp"
#include "data/check/check_levels.hpp"
#include "data/check/usable_log.hpp"
#include "data/log/raw_log.hpp"
#include "learn/checks/check_feasible.hpp"
#include "learn/checks/check_identification.hpp"
#include "learn/checks/check_regions.hpp"
#include "learn/checks/check_size.hpp"
#include "learn/mixture/pooled.hpp"
#include "otss/base/error.hpp"
#include "otss/data/persons.hpp"
#include "otss/learn/terms.hpp"

namespace otss::internal {
namespace {

bool has(const Findings& findings, std::string_view kind, Severity severity) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.kind == kind && finding.severity == severity;
  });
}

// Encodes the log. Encoding can refuse a log that passed the column checks, for example a log with
// values outside the range of single precision; the refusal becomes a finding.
std::optional<LoggedData> encode(const UsableLog& usable, const RawLog& raw, int threads,
                                 Findings& findings) {
  try {
    return make_usable_log(usable, raw, threads);
  } catch (const Error& error) {
    findings.push_back({Severity::kRefused, "refused", error.what(), {}});
    return std::nullopt;
  }
}

// Returns the families that outcomes of this log may have. Counts may be poisson or gaussian.
std::vector<OutputFamily> possible_families(const LoggedData& log, OutcomeKind kind) {
  if (kind == OutcomeKind::kBinary) return {OutputFamily::kBernoulli};
  const bool counts = std::ranges::all_of(
      log.outcomes(), [](float y) { return OutputFamily(OutputFamily::kPoisson).allows(y); });
  if (counts) return {OutputFamily::kPoisson, OutputFamily::kGaussian};
  return {OutputFamily::kGaussian};
}

// Reports a term that the factors lack. An outcome that is linear in one family may be curved in
// another family. So if several families are possible, a term is reported only if each family lacks
// a term.
void check_linearity(const LoggedData& log, OutcomeKind kind, int threads, Findings& findings) {
  std::optional<MissingTerm> missing;
  for (const OutputFamily family : possible_families(log, kind)) {
    const auto found = find_missing_term(log, {.family = family, .threads = threads});
    if (!found) return;
    if (!missing) missing = found;
  }
  findings.push_back(finding_of(*missing));
}

void check_factors(const FeasibleSet& feasible, const Roles& roles) {
  const auto num_factors = static_cast<std::size_t>(feasible.num_factors());
  if (num_factors == roles.factors.size()) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("{}: the decisions in this table have {} factors, but the log has {} "
                          "factors; read the table with the same factor names as the log",
                          feasible.table(), num_factors, roles.factors.size()));
}

// Runs the checks on one encoded log. The most important checks come first.
class ModelChecks {
 public:
  ModelChecks(const RawLog& raw, const UsableLog& usable, const LoggedData& log,
              const CheckOptions& options, LogCheck& check)
      : raw_(raw),
        usable_(usable),
        log_(log),
        options_(options),
        check_(check),
        threads_(options.threads == 0 ? hardware_threads() : options.threads),
        is_binary_(usable.outcome == OutcomeKind::kBinary),
        problem_(
            whole_problem(log, is_binary_ ? OutputFamily::kBernoulli : OutputFamily::kGaussian)) {}

  void run() {
    if (is_binary_) {
      const auto ones = static_cast<double>(std::ranges::count(log_.outcomes(), 1.0F));
      check_.outcome_rate = ones / static_cast<double>(log_.num_rows());
      check_size(log_, findings());
      check_separation(usable_, raw_, findings());
      theta_ = fit_pooled(problem_, threads_).fit.theta;
      if (!has(findings(), "separation", Severity::kUnidentified) &&
          !has(findings(), "too_few_rows", Severity::kUnidentified))
        check_joint_separation(problem_, theta_, threads_, findings());
    }
    check_.condition = check_identification(log_, problem_, theta_, threads_, findings());
    check_thin_levels(usable_, raw_, findings());
    check_regions(log_, threads_, findings());
    if (linearity_can_be_tested()) check_linearity(log_, usable_.outcome, threads_, findings());
    if (!options_.feasible) return;
    check_reach(log_, usable_, *options_.feasible, findings());
    if (is_binary_)
      check_centering(problem_, theta_, raw_, usable_, *options_.feasible, threads_, findings());
  }

 private:
  Findings& findings() { return check_.findings; }

  // Returns false if columns determine the outcome, or if the log has too few rows for the pooled
  // model. In these cases a test of linearity would say nothing.
  bool linearity_can_be_tested() {
    return !has(findings(), "separation", Severity::kUnidentified) &&
           !has(findings(), "too_few_rows", Severity::kUnidentified);
  }

  const RawLog& raw_;
  const UsableLog& usable_;
  const LoggedData& log_;
  const CheckOptions& options_;
  LogCheck& check_;
  int threads_;
  bool is_binary_;
  Problem problem_;
  std::vector<double> theta_;  // parameters of the pooled fit; empty if outcomes are not 0 or 1
};

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

LogCheck check_log(TableReader reader, const Roles& roles, const CheckOptions& options) {
  const RawLog raw =
      read_raw_log(reader, roles, options.feasible ? options.feasible->context_id() : "");
  if (options.feasible) check_factors(*options.feasible, raw.layout.roles);
  LogCheck check{
      .rows = raw.num_rows, .contexts = raw.contexts().size(), .factors = raw.factors().size()};
  for (const std::string& note : raw.notes)
    check.findings.push_back({Severity::kNote, "reading", note, {}});
  const UsableLog usable = check_columns(raw, check.findings);
  check.usable_rows = usable.rows.size();
  if (!usable.is_empty()) {
    if (const auto log = encode(usable, raw, options.threads, check.findings)) {
      check.encoded_contexts = static_cast<std::size_t>(log->num_contexts());
      ModelChecks(raw, usable, *log, options, check).run();
    }
  }
  const Findings persons = find_persons(reader.source(), raw.layout.roles);
  check.findings.insert(check.findings.end(), persons.begin(), persons.end());
  std::ranges::stable_sort(check.findings, {}, &Finding::severity);
  check.identified =
      check.findings.empty() || check.findings.front().severity != Severity::kUnidentified;
  return check;
}

LogCheck check_log(const TableSource& source, const Roles& roles, const CheckOptions& options) {
  TableSource table = source;
  if (options.threads != 0) table.threads = options.threads;
  return check_log(TableReader(table), roles, options);
}

LogCheck check_log(const std::string& path, const Roles& roles, const CheckOptions& options) {
  return check_log(TableSource{path, ""}, roles, options);
}

}  // namespace otss
