#include "decide/evaluated_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "data/log/fingerprint.hpp"
#include "data/log/text_codes.hpp"
#include "data/table/chunk_cells.hpp"
#include "data/terms/term_columns.hpp"
#include "model/factor_cells.hpp"
#include "model/finite_predictor.hpp"
#include "model/units/unit_cells.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {
namespace {

class RowCollector {
 public:
  RowCollector(const Fitted& fitted, const TableReader& reader, bool with_outcomes,
               const std::string& group, const EvaluateOptions& options)
      : fitted_(fitted),
        family_(fitted.family()),
        reader_(reader),
        requests_(fitted.encoder().context_requests()),
        units_(options.units, reader, requests_),
        cells_(reader, requests_) {
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

  EvaluatedRows run(UnknownPolicy unknown, OutsidePolicy outside) {
    const EncodeOptions options{unknown, reader_.name(), &out_.unknown, outside};
    std::vector<double> x;
    read_with_terms(reader_, requests_, [&](const TableChunk& chunk) {
      x.resize(chunk.num_rows * fitted_.num_contexts());
      fitted_.encoder().encode(chunk, x, options);
      add(chunk, x);
    });
    return std::move(out_);
  }

 private:
  void add(const TableChunk& chunk, std::span<const double> x) {
    const int p = fitted_.num_contexts();
    const int num_factors = fitted_.num_factors();
    const Mixture* mixture = fitted_.mixture();
    const BeliefsOfRows beliefs = units_.read(chunk, 0);
    if (fitted_.has_weights()) {
      const std::size_t before = out_.weights.size();
      out_.weights.resize(before + chunk.num_rows * num_factors);
      const auto w = std::span(out_.weights).subspan(before);
      fitted_.weight_map().weights(chunk.num_rows, x, w);
      add_deviations(beliefs.of_rows(), w);
    }
    std::vector<double> alpha(mixture != nullptr ? mixture->num_experts() : 0);
    std::vector<double> z(num_factors);
    for (std::size_t i = 0; i < chunk.num_rows; ++i) {
      const auto context = x.subspan(i * p, p);
      if (mixture != nullptr) {
        mixture->shares(context, alpha);
        out_.gate.add(alpha);
        out_.largest_shares.push_back(std::ranges::max_element(alpha) - alpha.begin());
      }
      if (grouped_) {
        const std::string_view name = cells_.text(chunk, group_, i);
        out_.groups.push_back(group_codes_.code(name, hash_text(name)));
      }
      if (!factors_) continue;
      factors_->read(cells_, chunk, i, z);
      const double outcome = cells_.finite(chunk, outcome_, i);
      if (!family_.allows(outcome))
        cells_.fail(chunk, outcome_, i,
                    fmt::format("must be {}; correct it, or leave the row out", family_.allowed()));
      out_.eta.push_back(
          finite_predictor(fitted_, context, z, {reader_.name(), chunk.first_row + i}, beliefs[i]));
      out_.outcomes.push_back(outcome);
      // Averaging 0/1 outcomes gives 0/1 outcomes, so that their losses follow from eta.
      if (fitted_.deviations() != nullptr && family_ != OutputFamily::kBernoulli)
        out_.log_losses.push_back(fitted_.log_loss(context, z, outcome, beliefs[i]));
      if (weighted_) {
        const double weight = cells_.finite(chunk, outcome_ + 1, i);
        if (weight < 0)
          cells_.fail(chunk, outcome_ + 1, i,
                      "must not be negative; correct the weight, or leave the row out");
        out_.row_weights.push_back(weight);
      }
    }
    out_.rows += chunk.num_rows;
  }

  const Fitted& fitted_;
  OutputFamily family_;
  const TableReader& reader_;
  std::vector<ColumnRequest> requests_;
  UnitCells units_;
  ChunkCells cells_;
  std::size_t group_ = 0;  // the position of the group column in requests_, if grouped_
  bool grouped_ = false;
  TextCodes group_codes_;
  std::optional<FactorCells> factors_;  // absent if no outcomes are read
  std::size_t outcome_ = 0;             // the position of the outcome column in requests_
  bool weighted_ = false;  // true: the column of row weights follows the outcome in requests_
  EvaluatedRows out_;
};

}  // namespace

EvaluatedRows read_evaluated_rows(const Fitted& fitted, const TableReader& reader,
                                  bool with_outcomes, const std::string& group,
                                  const EvaluateOptions& options) {
  return RowCollector(fitted, reader, with_outcomes, group, options)
      .run(options.unknown, options.outside);
}

}  // namespace otss::internal
