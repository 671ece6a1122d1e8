#include "report/log/log_pass.hpp"

#include "data/log/fingerprint.hpp"
#include "data/table/chunk_cells.hpp"
#include "data/terms/term_columns.hpp"
#include "decide/evaluated_rows.hpp"
#include "decide/policy_rows.hpp"
#include "decide/row_decider.hpp"
#include "otss/base/error.hpp"
#include "otss/model/training_table.hpp"
#include "report/log/context_sampler.hpp"
#include "report/log/decision_counter.hpp"
#include "report/log/evaluated_sampler.hpp"
#include "report/log/log_sums.hpp"

namespace otss::internal {
namespace {

TableSource trained_source(const Fitted& fitted, const LogQuestion& question) {
  TableSource source = fitted.encoder().as_trained(question.table);
  source.threads = question.threads;
  return source;
}

// Returns true if predictions of the rows can be compared with their outcomes.
bool can_evaluate(const Fitted& fitted, const TableReader& reader, const FeasibleSet* candidates) {
  const std::string& centered_by = fitted.roles().centered_by;
  const bool can_center = candidates != nullptr && candidates->context_id() == centered_by &&
                          reader.has_column(centered_by);
  return has_outcomes(fitted, reader, true) && (centered_by.empty() || can_center);
}

// Reads LOG chunk by chunk, in row order. The parts of the report that need the log each get the
// columns that they requested.
class LogReader {
 public:
  LogReader(const Fitted& fitted, const LogQuestion& question)
      : fitted_(fitted),
        question_(question),
        candidates_(question.feasible != nullptr && !question.feasible->is_shared()
                        ? question.feasible
                        : nullptr),
        reader_(trained_source(fitted, question)),
        with_outcomes_(can_evaluate(fitted, reader_, candidates_)),
        options_{.centered_by = candidates_,
                 .units = question.units,
                 .unknown = question.unknown,
                 .outside = question.outside},
        group_(policy_group(fitted, reader_, question.group)),
        evaluator_(fitted, reader_, with_outcomes_, "", options_),
        group_cells_(reader_, group_requests_),
        sums_(fitted),
        contexts_(fitted.encoder(), question.most_context_rows, question.seed),
        sampler_(question.most_evaluated_rows, question.seed) {
    fitted.encoder().require_columns(reader_);
    require_new_rows(question.units, question.table, candidates_);
    check_question();
    if (question.feasible == nullptr) return;
    decider_.emplace(reader_, fitted, question.decision, *question.feasible, question.units,
                     question.threads);
    counter_.emplace(fitted, reader_, *question.feasible, !question.decision.empty());
    if (question.propensity.empty()) return;
    check_centering(fitted, *question.feasible);
    policy_.emplace(reader_, fitted, question.propensity, "", *question.feasible);
  }

  LogPass run() {
    const std::size_t of_evaluator = request(evaluator_.requests());
    if (!group_.empty()) group_requests_ = {{group_, true}};
    const std::size_t of_group = request(group_requests_);
    const std::size_t of_decider = decider_ ? request(decider_->requests()) : 0;
    const std::size_t of_counter = counter_ ? request(counter_->requests()) : 0;
    const std::size_t of_policy = policy_ ? request(policy_->requests()) : 0;
    read_with_terms(reader_, requests_, [&](const TableChunk& chunk) {
      const TableChunk own = columns_of(chunk, of_evaluator, evaluator_.requests().size());
      const std::vector<double> x = evaluator_.encode(own, rows_.unknown);
      evaluator_.add(own, x, rows_);
      DecidedRows decided;
      PolicyLog policy;
      if (decider_) {
        decided = decider_->decide(columns_of(chunk, of_decider, decider_->requests().size()), x);
        counter_->add(columns_of(chunk, of_counter, counter_->requests().size()), decided);
      }
      if (policy_)
        policy_->add(columns_of(chunk, of_policy, policy_->requests().size()), x, decided, policy);
      add_sums(x);
      contexts_.add(own, x, decided.context_ids);
      const auto groups = groups_of(columns_of(chunk, of_group, group_requests_.size()));
      sampler_.add(chunk.num_rows, {rows_, groups, policy, decided.best});
      forget_rows();
    });
    return finish();
  }

 private:
  void check_question() const {
    if (question_.propensity.empty()) return;
    if (question_.decision.empty()) {
      throw Error(ErrorCode::kUsage,
                  "--propensity COL is the probability of the logged decision; name the column "
                  "with this decision, too: --decision COL");
    }
    if (question_.feasible == nullptr) {
      throw Error(ErrorCode::kUsage,
                  "the value of a policy needs the decisions that the policy chooses from; give "
                  "--library LIB or --candidates CAND");
    }
  }

  // Adds requests to the columns that are read, and returns the position of the first.
  std::size_t request(const std::vector<ColumnRequest>& more) {
    const std::size_t first = requests_.size();
    requests_.insert(requests_.end(), more.begin(), more.end());
    return first;
  }

  std::vector<std::uint64_t> groups_of(const TableChunk& chunk) const {
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = 0; !group_.empty() && i < chunk.num_rows; ++i)
      hashes.push_back(hash_text(group_cells_.text(chunk, 0, i)));
    return hashes;
  }

  // Adds the weights of the population: segments and means leave out what is known about units.
  void add_sums(const std::vector<double>& x) {
    if (question_.units.states != nullptr)
      fitted_.weight_map().weights(rows_.weights.size() / fitted_.num_factors(), x, rows_.weights);
    sums_.add(rows_);
  }

  // Empties the lists of single rows, and keeps sums and counts.
  void forget_rows() {
    for (auto* values :
         {&rows_.eta, &rows_.outcomes, &rows_.row_weights, &rows_.log_losses, &rows_.weights})
      values->clear();
    rows_.largest_shares.clear();
    rows_.top_shares.clear();
  }

  LogPass finish() {
    LogPass pass;
    pass.summary.name = reader_.name();
    pass.summary.rows = rows_.rows;
    pass.summary.unknown = rows_.unknown;
    pass.group = group_;
    if (fitted_.mixture() != nullptr) pass.gate = rows_.gate.result();
    sums_.finish(pass.gate ? &*pass.gate : nullptr, pass.summary);
    pass.top_share = sums_.top_share();
    pass.context_ids = contexts_.take_context_ids();
    pass.summary.sample = contexts_.take();
    if (question_.units.states != nullptr) pass.known_units = rows_.known_units;
    pass.in_sample = is_of_the_fit();
    if (with_outcomes_) pass.evaluated = sampler_.evaluated();
    if (counter_) pass.decisions = counter_->result();
    if (policy_) pass.policy = policy_value_of(pass);
    return pass;
  }

  bool is_of_the_fit() {
    const auto& data = fitted_.report().data;
    return data && data->rows == rows_.rows && is_training_table(fitted_, reader_, candidates_);
  }

  EvaluatedPolicy policy_value_of(const LogPass& pass) {
    require_out_of_sample(reader_, pass.in_sample, question_.in_sample);
    std::vector<std::uint8_t> was_logged;
    if (candidates_ == nullptr) {
      for (const std::size_t count : pass.decisions->logged)
        was_logged.push_back(count > 0 ? 1 : 0);
    }
    EvaluatedPolicy policy;
    policy.in_sample = pass.in_sample;
    policy.value = policy_value(sampler_.policy_log(was_logged), kReportLevel);
    policy.warnings = policy_warnings(policy, fitted_, reader_,
                                      {.decision = {}, .propensity = {}, .group = question_.group});
    return policy;
  }

  const Fitted& fitted_;
  const LogQuestion& question_;
  const FeasibleSet* candidates_;  // null if the decisions are a library, or not known
  TableReader reader_;
  bool with_outcomes_;
  EvaluateOptions options_;
  std::string group_;
  RowEvaluator evaluator_;
  std::vector<ColumnRequest> group_requests_;
  ChunkCells group_cells_;
  std::optional<RowDecider> decider_;
  std::optional<DecisionCounter> counter_;  // present if decider_ is
  std::optional<PolicyRows> policy_;
  LogSums sums_;
  ContextSampler contexts_;
  EvaluatedSampler sampler_;
  std::vector<ColumnRequest> requests_;
  // The rows of the current chunk, and the sums over all chunks.
  EvaluatedRows rows_;
};

}  // namespace

LogPass pass_over_log(const Fitted& fitted, const LogQuestion& question) {
  return LogReader(fitted, question).run();
}

}  // namespace otss::internal
