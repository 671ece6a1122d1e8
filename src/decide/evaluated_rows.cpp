#include "decide/evaluated_rows.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "data/log/fingerprint.hpp"
#include "data/terms/term_columns.hpp"
#include "model/finite_predictor.hpp"
#include "otss/base/ranks.hpp"

namespace otss::internal {

RowEvaluator::RowEvaluator(const Fitted& fitted, const TableReader& reader, bool with_outcomes,
                           const std::string& group, const EvaluateOptions& options)
    : fitted_(fitted),
      family_(fitted.family()),
      reader_(reader),
      unknown_(options.unknown),
      outside_(options.outside),
      requests_(fitted.encoder().context_requests()),
      units_(options.units, reader, requests_),
      cells_(reader, requests_),
      alpha_(fitted.num_experts()),
      z_(fitted.num_factors()) {
  group_ = requests_.size();
  grouped_ = !group.empty();
  if (grouped_) requests_.push_back({group, true});
  if (!with_outcomes) return;
  factors_.emplace(fitted, options.centered_by, requests_);
  outcome_ = requests_.size();
  requests_.push_back({fitted.roles().outcome});
  weighted_ = !fitted.roles().weight.empty() && reader.has_column(fitted.roles().weight);
  if (weighted_) requests_.push_back({fitted.roles().weight});
}

std::vector<double> RowEvaluator::encode(const TableChunk& chunk, UnknownCounts& unknown) const {
  std::vector<double> x(chunk.num_rows * fitted_.num_contexts());
  fitted_.encoder().encode(chunk, x, {unknown_, reader_.name(), &unknown, outside_});
  return x;
}

void RowEvaluator::add(const TableChunk& chunk, std::span<const double> x, EvaluatedRows& out) {
  const int p = fitted_.num_contexts();
  const BeliefsOfRows beliefs = units_.read(chunk, 0);
  if (out.keeps_weights && fitted_.has_weights()) {
    const std::size_t before = out.weights.size();
    out.weights.resize(before + chunk.num_rows * fitted_.num_factors());
    const auto w = std::span(out.weights).subspan(before);
    fitted_.weight_map().weights(chunk.num_rows, x, w);
    add_deviations(beliefs.of_rows(), w);
  }
  for (std::size_t i = 0; i < chunk.num_rows; ++i) {
    const auto context = x.subspan(i * p, p);
    if (fitted_.mixture() != nullptr) add_gate(context, out);
    if (grouped_) {
      const std::string_view name = cells_.text(chunk, group_, i);
      out.groups.push_back(group_codes_.code(name, hash_text(name)));
    }
    if (factors_) add_outcome(chunk, i, context, beliefs[i], out);
  }
  out.known_units += beliefs.num_known();
  out.rows += chunk.num_rows;
}

void RowEvaluator::add_gate(std::span<const double> context, EvaluatedRows& out) {
  fitted_.mixture()->shares(context, alpha_);
  out.gate.add(alpha_);
  if (out.keeps_shares) out.shares.insert(out.shares.end(), alpha_.begin(), alpha_.end());
  if (!out.keeps_largest) return;
  const auto largest = std::ranges::max_element(alpha_);
  out.largest_shares.push_back(largest - alpha_.begin());
  out.top_shares.push_back(static_cast<float>(*largest));
}

void RowEvaluator::add_outcome(const TableChunk& chunk, std::size_t row,
                               std::span<const double> context, const UnitBelief* unit,
                               EvaluatedRows& out) {
  factors_->read(cells_, chunk, row, z_);
  const double outcome = cells_.finite(chunk, outcome_, row);
  if (!family_.allows(outcome))
    cells_.fail(chunk, outcome_, row,
                fmt::format("must be {}; correct it, or leave the row out", family_.allowed()));
  out.eta.push_back(
      finite_predictor(fitted_, context, z_, {reader_.name(), chunk.first_row + row}, unit));
  out.outcomes.push_back(outcome);
  // Averaging 0/1 outcomes gives 0/1 outcomes, so that their losses follow from eta.
  if (fitted_.deviations() != nullptr && family_ != OutputFamily::kBernoulli)
    out.log_losses.push_back(fitted_.log_loss(context, z_, outcome, unit));
  if (!weighted_) return;
  const double weight = cells_.finite(chunk, outcome_ + 1, row);
  if (weight < 0)
    cells_.fail(chunk, outcome_ + 1, row,
                "must not be negative; correct the weight, or leave the row out");
  out.row_weights.push_back(weight);
}

EvaluatedRows read_evaluated_rows(const Fitted& fitted, const TableReader& reader,
                                  bool with_outcomes, const std::string& group,
                                  const EvaluateOptions& options) {
  RowEvaluator evaluator(fitted, reader, with_outcomes, group, options);
  EvaluatedRows rows;
  rows.keeps_weights = options.truth.has_value();
  rows.keeps_shares = !is_first(options.ranks);
  rows.keeps_largest = !options.segments.empty();
  read_with_terms(reader, evaluator.requests(), [&](const TableChunk& chunk) {
    evaluator.add(chunk, evaluator.encode(chunk, rows.unknown), rows);
  });
  rows.group_names = evaluator.group_names();
  return rows;
}

bool has_outcomes(const Fitted& fitted, const TableReader& reader, bool optional) {
  std::vector<std::string> needed = fitted.factor_names();
  needed.push_back(fitted.roles().outcome);
  for (const std::string& name : needed) {
    if (has_factor(reader.columns(), name)) continue;
    if (optional) return false;
    require_factor(reader.columns(), name,
                   "without --truth or --propensity, evaluate needs the factors and the outcome",
                   reader.name());
  }
  return true;
}

}  // namespace otss::internal
