#include "decision_table.hpp"

#include <fmt/core.h>

#include "otss/decide/decider.hpp"

namespace otss::app {
namespace {

// Returns a column of the texts "true" and "false", which formats with types store as booleans.
ColumnInfo yes_or_no(const char* name) {
  return {
      .name = name, .kind = ColumnKind::kText, .type = ValueType::kBoolean, .stored_as = "BOOLEAN"};
}

// Returns the mixture whose experts get columns in the output, or null if there is none. The
// experts of an average of posterior draws get no columns, because such an average has hundreds of
// experts in an arbitrary order.
const Mixture* mixture_to_explain(const Fitted& fitted) {
  const Mixture* mixture = fitted.mixture();
  const bool average = mixture != nullptr && mixture->gate_kind() == GateKind::kAverage;
  return average ? nullptr : mixture;
}

std::vector<ColumnInfo> own_columns(const Fitted& fitted, const DecisionColumns& columns) {
  std::vector<ColumnInfo> own{{"row", ColumnKind::kNumber, true},
                              {"rank", ColumnKind::kNumber, true},
                              {"decision", ColumnKind::kText},
                              {"score", ColumnKind::kNumber},
                              {"margin", ColumnKind::kNumber}};
  if (columns.certify > 0) {
    own.push_back(yes_or_no("certified"));
    for (const char* name : {"regret_bound", "prob_optimal", "expected_regret"})
      own.push_back({name, ColumnKind::kNumber});
  }
  if (columns.certify_margin) {
    own.push_back(yes_or_no("margin_certified"));
    own.push_back({"score_error", ColumnKind::kNumber});
  }
  if (!columns.explain) return own;
  for (const char* prefix : {"c_", "d_"}) {
    for (const std::string& factor : fitted.encoder().own_factors())
      own.push_back({prefix + factor, ColumnKind::kNumber});
  }
  const Mixture* mixture = mixture_to_explain(fitted);
  for (const char* prefix : {"alpha_", "e_"}) {
    for (int k = 1; mixture != nullptr && k <= mixture->num_experts(); ++k)
      own.push_back({fmt::format("{}{}", prefix, k), ColumnKind::kNumber});
  }
  if (columns.explain_unit) own.push_back({"e_unit", ColumnKind::kNumber});
  return own;
}

}  // namespace

// The columns of one chunk, and the memory that these columns point to.
class DecisionTable::Chunk {
 public:
  explicit Chunk(std::size_t num_rows) : chunk_{0, num_rows, {}} {}

  void add(std::vector<double> column) {
    numbers_.push_back(std::move(column));
    chunk_.columns.push_back({ColumnKind::kNumber, numbers_.back(), {}});
  }
  void add(std::vector<std::string_view> column) {
    texts_.push_back(std::move(column));
    chunk_.columns.push_back({ColumnKind::kText, {}, texts_.back()});
  }
  // Adds a column whose row i is value_of(i), a number or a text.
  template <class ValueOf>
  void add_each(const ValueOf& value_of) {
    std::vector<decltype(value_of(std::size_t{}))> column;
    for (std::size_t i = 0; i < chunk_.num_rows; ++i) column.push_back(value_of(i));
    add(std::move(column));
  }
  // Adds the columns of a row-major matrix.
  void add_matrix(const std::vector<double>& matrix, std::size_t num_columns) {
    for (std::size_t c = 0; c < num_columns; ++c)
      add_each([&](std::size_t i) { return matrix[i * num_columns + c]; });
  }

  const TableChunk& table() const { return chunk_; }

 private:
  std::deque<std::vector<double>> numbers_;
  std::deque<std::vector<std::string_view>> texts_;
  TableChunk chunk_;
};

DecisionTable::DecisionTable(const Fitted& fitted, const ContextStream& stream,
                             const DecisionColumns& columns, const Output& output, int threads,
                             Ranks* ranks)
    : fitted_(fitted),
      columns_(columns),
      writer_(output.path, stream.output_columns(own_columns(fitted, columns)), threads,
              output.existing(), ranks),
      ranks_(ranks) {}

std::vector<Decision> DecisionTable::decisions_of(const std::vector<Decision>& found) const {
  std::vector<Decision> shown;
  for (const Decision& decision : found) {
    if (decision.rank <= columns_.top) shown.push_back(decision);
  }
  return shown;
}

std::function<void()> DecisionTable::prepare(const ContextChunk& chunk,
                                             const std::vector<Decision>& found,
                                             const FeasibleSet& feasible,
                                             const std::vector<Certificate>& certificates) {
  const std::vector<Decision> shown = decisions_of(found);
  Chunk out(shown.size());
  for (const ColumnChunk& kept : chunk.kept)
    out.add_each([&](std::size_t i) { return kept.texts[shown[i].row]; });
  out.add_each(
      [&](std::size_t i) { return static_cast<double>(chunk.first_row + shown[i].row + 1); });
  out.add_each([&](std::size_t i) { return static_cast<double>(shown[i].rank); });
  out.add_each([&](std::size_t i) { return std::string_view(feasible.id(shown[i].index)); });
  out.add_each([&](std::size_t i) { return shown[i].score; });
  out.add_each([&](std::size_t i) { return shown[i].margin; });
  if (columns_.certify > 0) add_certificates(shown, certificates, out);
  if (columns_.explain) add_explanation(chunk, found, shown, feasible, out);
  std::vector<Certificate> of_best;
  for (std::size_t i = 0; i < certificates.size(); ++i) {
    if (shown[i].rank == 1) of_best.push_back(certificates[i]);
  }
  return [this, rows = writer_.format(out.table()), num_rows = shown.size(),
          of_best = std::move(of_best)] {
    writer_.write(rows);
    num_rows_ += num_rows;
    if (ranks_ == nullptr) {
      totals_.add(of_best);
    } else {
      of_rank_.insert(of_rank_.end(), of_best.begin(), of_best.end());
    }
  };
}

void DecisionTable::add_certificates(const std::vector<Decision>& shown,
                                     const std::vector<Certificate>& certificates,
                                     Chunk& out) const {
  const auto text = [](bool yes) { return std::string_view(yes ? "true" : "false"); };
  out.add_each([&](std::size_t i) { return text(certificates[i].certified); });
  out.add_each([&](std::size_t i) { return certificates[i].regret_bound; });
  out.add_each([&](std::size_t i) { return certificates[i].probability_optimal; });
  out.add_each([&](std::size_t i) { return certificates[i].expected_regret; });
  if (columns_.certify_margin) {
    out.add_each([&](std::size_t i) {
      return text(certificates[i].certified && shown[i].margin > 2 * certificates[i].score_error);
    });
    out.add_each([&](std::size_t i) { return certificates[i].score_error; });
  }
}

void CertifiedTotals::add(const std::vector<Certificate>& of_best) {
  for (const Certificate& certificate : of_best) {
    ++decisions;
    certified += certificate.certified ? 1 : 0;
    expected_regret += certificate.expected_regret;
    regret_bound += certificate.regret_bound;
  }
}

void DecisionTable::commit() {
  writer_.commit();
  if (ranks_ == nullptr) return;
  num_rows_ = summed_counts(*ranks_, {num_rows_}).front();
  totals_ = folded<CertifiedTotals>(*ranks_, totals_,
                                    [&](CertifiedTotals& totals) { totals.add(of_rank_); });
}

void DecisionTable::add_explanation(const ContextChunk& chunk, const std::vector<Decision>& found,
                                    const std::vector<Decision>& shown, const FeasibleSet& feasible,
                                    Chunk& out) const {
  const WeightMap& map = fitted_.weight_map();
  const std::size_t num_factors = fitted_.num_factors();
  const Encoder& encoder = fitted_.encoder();
  const std::size_t num_own = encoder.own_factors().size();
  out.add_matrix(by_own_factors(encoder, explain(map, chunk.x, shown, feasible, chunk.units)),
                 num_own);
  const std::vector<double> of_found = explain_margin(map, chunk.x, found, feasible, chunk.units);
  std::vector<double> of_shown;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].rank > columns_.top) continue;
    const auto first = of_found.begin() + static_cast<std::ptrdiff_t>(i * num_factors);
    of_shown.insert(of_shown.end(), first, first + static_cast<std::ptrdiff_t>(num_factors));
  }
  out.add_matrix(by_own_factors(encoder, of_shown), num_own);
  if (const Mixture* mixture = mixture_to_explain(fitted_)) {
    const ExpertScores experts = explain_experts(*mixture, chunk.x, shown, feasible);
    out.add_matrix(experts.shares, mixture->num_experts());
    out.add_matrix(experts.scores, mixture->num_experts());
  }
  if (columns_.explain_unit) out.add_matrix(explain_unit(chunk.units, shown, feasible), 1);
}

}  // namespace otss::app
