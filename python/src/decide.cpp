#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <vector>

#include "contexts.hpp"
#include "long_task.hpp"
#include "model.hpp"
#include "python_table.hpp"
#include "units.hpp"

namespace otss::python {
namespace {

template <class Value, class ValueOf>
py::array_t<Value> column(std::size_t rows, const ValueOf& value_of) {
  py::array_t<Value> result(static_cast<py::ssize_t>(rows));
  Value* cells = result.mutable_data();
  for (std::size_t i = 0; i < rows; ++i) cells[i] = value_of(i);
  return result;
}

py::array_t<double> matrix(const std::vector<double>& cells, std::size_t columns) {
  const auto rows = static_cast<py::ssize_t>(columns == 0 ? 0 : cells.size() / columns);
  return py::array_t<double>({rows, static_cast<py::ssize_t>(columns)}, cells.data());
}

struct DecideQuestion {
  int top = 1;
  double certify = 0;    // confidence level; 0: no certificates
  bool explain = false;  // add the contributions of factors and experts
  int threads = 1;
  const RowUnits* units = nullptr;  // the units of the contexts; null: contexts have no units
};

struct DecideAnswer {
  std::vector<Decision> decisions;
  std::vector<Certificate> certificates;
  std::vector<double> contributions, margin_contributions;  // decisions × own factors
  std::vector<double> expert_shares, expert_scores;         // decisions × K
  std::vector<double> unit_scores;                          // one per decision, with units
  std::size_t unused_candidates = 0;
  UnknownCounts counts;
};

// The experts of an average of posterior draws are not shown: there are hundreds, in no order.
const Mixture* mixture_to_explain(const Fitted& fitted) {
  const Mixture* mixture = fitted.mixture();
  const bool is_average = mixture != nullptr && mixture->gate_kind() == GateKind::kAverage;
  return is_average ? nullptr : mixture;
}

// Keeps the rows of a matrix whose decisions have a rank of at most `top`.
std::vector<double> shown_rows(const std::vector<Decision>& found, int top,
                               const std::vector<double>& cells) {
  const std::size_t width = found.empty() ? 0 : cells.size() / found.size();
  std::vector<double> shown;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].rank > top) continue;
    const auto first = cells.begin() + static_cast<std::ptrdiff_t>(i * width);
    shown.insert(shown.end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  return shown;
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

class DecideRun {
 public:
  DecideRun(const Fitted& fitted, FeasibleSet feasible, const DecideQuestion& question)
      : fitted_(fitted),
        question_(question),
        // The contributions to a margin need the best two decisions.
        decider_(fitted.scorer(), std::move(feasible),
                 {.top = question.explain ? std::max(2, question.top) : question.top,
                  .num_threads = question.threads,
                  .prune = question.units == nullptr}),
        use_(decider_.feasible()) {}

  void add(const EncodedRows& rows, const std::vector<std::string>& ids) {
    const BeliefsOfRows beliefs = beliefs_of(question_.units, rows);
    const Contexts contexts{rows.num_rows, rows.x, ids, beliefs.of_rows()};
    use_.add(ids);
    const std::vector<Decision> found = decider_.decide(contexts);
    std::vector<Decision> shown;
    for (const Decision& decision : found) {
      if (decision.rank <= question_.top) shown.push_back(decision);
    }
    if (question_.certify > 0) {
      const auto certificates =
          certify(fitted_, contexts, shown, decider_.feasible(),
                  {.level = question_.certify, .num_threads = question_.threads});
      answer_.certificates.insert(answer_.certificates.end(), certificates.begin(),
                                  certificates.end());
    }
    if (question_.explain) explain_rows(contexts, found, shown);
    for (Decision& decision : shown) {
      decision.row += rows.first_row;
      answer_.decisions.push_back(decision);
    }
  }

  DecideAnswer finish(UnknownCounts counts) && {
    answer_.unused_candidates = use_.num_unused_rows();
    answer_.counts = std::move(counts);
    return std::move(answer_);
  }

 private:
  void explain_rows(const Contexts& rows, const std::vector<Decision>& found,
                    const std::vector<Decision>& shown) {
    const FeasibleSet& feasible = decider_.feasible();
    const Encoder& encoder = fitted_.encoder();
    append(answer_.contributions, by_own_factors(encoder, explain(fitted_.weight_map(), rows.x,
                                                                  shown, feasible, rows.units)));
    append(answer_.margin_contributions,
           by_own_factors(encoder, shown_rows(found, question_.top,
                                              explain_margin(fitted_.weight_map(), rows.x, found,
                                                             feasible, rows.units))));
    if (const Mixture* mixture = mixture_to_explain(fitted_)) {
      const ExpertScores scores = explain_experts(*mixture, rows.x, shown, feasible);
      append(answer_.expert_shares, scores.shares);
      append(answer_.expert_scores, scores.scores);
    }
    if (question_.units != nullptr)
      append(answer_.unit_scores, explain_unit(rows.units, shown, feasible));
  }

  const Fitted& fitted_;
  DecideQuestion question_;
  Decider decider_;
  CandidateUse use_;
  DecideAnswer answer_;
};

py::dict to_dict(const Fitted& fitted, const DecideAnswer& answer, const DecideQuestion& question) {
  const auto& found = answer.decisions;
  const std::size_t rows = found.size();
  py::dict result;
  result["row"] = column<std::int64_t>(rows, [&](auto i) { return found[i].row; });
  result["rank"] = column<std::int64_t>(rows, [&](auto i) { return found[i].rank; });
  result["index"] = column<std::int64_t>(rows, [&](auto i) { return found[i].index; });
  result["score"] = column<double>(rows, [&](auto i) { return found[i].score; });
  result["margin"] = column<double>(rows, [&](auto i) { return found[i].margin; });
  if (question.certify > 0) {
    const auto& proofs = answer.certificates;
    result["certified"] = column<bool>(rows, [&](auto i) { return proofs[i].certified; });
    result["regret_bound"] = column<double>(rows, [&](auto i) { return proofs[i].regret_bound; });
    result["prob_optimal"] =
        column<double>(rows, [&](auto i) { return proofs[i].probability_optimal; });
    result["expected_regret"] =
        column<double>(rows, [&](auto i) { return proofs[i].expected_regret; });
  }
  if (question.explain) {
    const std::size_t own = fitted.encoder().own_factors().size();
    const Mixture* mixture = mixture_to_explain(fitted);
    const auto experts = static_cast<std::size_t>(mixture != nullptr ? mixture->num_experts() : 0);
    result["contributions"] = matrix(answer.contributions, own);
    result["margin_contributions"] = matrix(answer.margin_contributions, own);
    result["shares"] = matrix(answer.expert_shares, experts);
    result["expert_scores"] = matrix(answer.expert_scores, experts);
    if (question.units != nullptr)
      result["unit_scores"] = column<double>(rows, [&](auto i) { return answer.unit_scores[i]; });
  }
  return result;
}

FeasibleSet read_feasible(const Fitted& fitted, const TableSource& decisions, const std::string& id,
                          const std::string& context_id) {
  const TableReader reader(fitted.encoder().as_trained(decisions));
  if (context_id.empty()) return read_library(reader, id, fitted.factor_names());
  return read_candidates(reader, context_id, id, fitted.factor_names());
}

// Returns the decisions as a dict of columns, the ids of the feasible decisions, the number of
// unused candidates, and the counts of values that did not occur in training.
py::tuple decide_table(const Fitted& fitted, const PythonTable& contexts,
                       const std::vector<std::string>& context_ids, const TableSource& decisions,
                       const std::string& id, const std::string& context_id, int top,
                       double certify_level, bool explain_scores, int threads, bool unknown,
                       bool outside, const RowUnits* units, const py::object& progress) {
  const DecideQuestion question{top, certify_level, explain_scores, threads, units};
  const NewValues policy{unknown ? UnknownPolicy::kError : UnknownPolicy::kCount,
                         outside ? OutsidePolicy::kError : OutsidePolicy::kCount};
  if (explain_scores) fitted.weight_map();      // throws an Error if the model has no weights
  if (certify_level > 0) fitted.uncertainty();  // throws an Error if the model has no intervals
  std::optional<FeasibleSet> feasible;
  const DecideAnswer answer = long_task(progress, [&](const Progress&) {
    feasible = read_feasible(fitted, decisions, id, context_id);
    DecideRun run(fitted, *feasible, question);
    const UnknownCounts counts =
        encode_rows(fitted, contexts, policy, [&](const EncodedRows& rows) {
          const auto first = context_ids.begin() +
                             static_cast<std::ptrdiff_t>(context_ids.empty() ? 0 : rows.first_row);
          run.add(rows,
                  context_ids.empty()
                      ? std::vector<std::string>()
                      : std::vector(first, first + static_cast<std::ptrdiff_t>(rows.num_rows)));
        });
    return std::move(run).finish(counts);
  });
  py::object ids = py::none();
  if (!id.empty()) {
    py::list names;
    for (const Decision& decision : answer.decisions) names.append(feasible->id(decision.index));
    ids = names;
  }
  return py::make_tuple(to_dict(fitted, answer, question), ids, answer.unused_candidates,
                        counts_to_python(answer.counts, fitted.encoder()));
}

}  // namespace

void bind_decide(py::module_& module) {
  module.def("decide", &decide_table, py::arg("model"), py::arg("contexts"), py::arg("context_ids"),
             py::arg("decisions"), py::arg("id"), py::arg("context_id"), py::arg("top"),
             py::arg("certify"), py::arg("explain"), py::arg("threads"), py::arg("refuse_unknown"),
             py::arg("refuse_outside"), py::arg("units"), py::arg("progress"));
}

}  // namespace otss::python
