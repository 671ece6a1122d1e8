#include "decide/evaluated_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

#include "data/table/chunk_cells.hpp"
#include "data/terms/term_columns.hpp"
#include "model/finite_predictor.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {
namespace {

class RowCollector {
 public:
  RowCollector(const Fitted& fitted, const TableReader& reader, bool with_outcomes,
               const FeasibleSet* candidates)
      : fitted_(fitted),
        family_(fitted.family()),
        reader_(reader),
        with_outcomes_(with_outcomes),
        candidates_(fitted.roles().centered_by.empty() ? nullptr : candidates),
        cells_(reader, requests_) {
    requests_ = fitted.encoder().context_requests();
    first_factor_ = requests_.size();
    if (!with_outcomes) return;
    for (const std::string& name : fitted.factor_names()) requests_.push_back({name});
    requests_.push_back({fitted.roles().outcome});
    weighted_ = !fitted.roles().weight.empty() && reader.has_column(fitted.roles().weight);
    if (weighted_) requests_.push_back({fitted.roles().weight});
    if (candidates_ != nullptr) requests_.push_back({candidates->context_id(), true});
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
    if (fitted_.has_weights()) {
      const std::size_t before = out_.weights.size();
      out_.weights.resize(before + chunk.num_rows * num_factors);
      fitted_.weight_map().weights(chunk.num_rows, x, std::span(out_.weights).subspan(before));
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
      if (!with_outcomes_) continue;
      for (int j = 0; j < num_factors; ++j) z[j] = cells_.finite(chunk, first_factor_ + j, i);
      if (candidates_ != nullptr) {
        const auto mean = candidates_->of(chunk.columns.back().texts[i]).mean_factors();
        for (int j = 0; j < num_factors; ++j) z[j] -= mean[j];
      }
      const double outcome = cells_.finite(chunk, first_factor_ + num_factors, i);
      if (!family_.allows(outcome))
        cells_.fail(chunk, first_factor_ + num_factors, i,
                    fmt::format("must be {}; correct it, or leave the row out", family_.allowed()));
      out_.eta.push_back(
          finite_predictor(fitted_, context, z, {reader_.name(), chunk.first_row + i}));
      out_.outcomes.push_back(outcome);
      if (weighted_) {
        const double weight = cells_.finite(chunk, first_factor_ + num_factors + 1, i);
        if (weight < 0)
          cells_.fail(chunk, first_factor_ + num_factors + 1, i,
                      "must not be negative; correct the weight, or leave the row out");
        out_.row_weights.push_back(weight);
      }
    }
    out_.rows += chunk.num_rows;
  }

  const Fitted& fitted_;
  OutputFamily family_;
  const TableReader& reader_;
  bool with_outcomes_;
  const FeasibleSet* candidates_;  // null if the model's factors are not centred
  bool weighted_ = false;
  std::vector<ColumnRequest> requests_;
  ChunkCells cells_;
  std::size_t first_factor_ = 0;
  EvaluatedRows out_;
};

}  // namespace

EvaluatedRows read_evaluated_rows(const Fitted& fitted, const TableReader& reader,
                                  bool with_outcomes, const FeasibleSet* candidates,
                                  UnknownPolicy unknown, OutsidePolicy outside) {
  return RowCollector(fitted, reader, with_outcomes, candidates).run(unknown, outside);
}

}  // namespace otss::internal
