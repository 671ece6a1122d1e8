#include "model/factor_cells.hpp"

#include <fmt/core.h>

#include "otss/base/error.hpp"

namespace otss::internal {

void require_candidates(const Fitted& fitted, const TableReader& reader,
                        const FeasibleSet* candidates) {
  const std::string& centered_by = fitted.roles().centered_by;
  if (centered_by.empty()) return;
  if (candidates == nullptr) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("the model was fitted with --center-factors, so the factors of this table must "
                    "be centred too; give --candidates CAND, a table with the column '{}'",
                    centered_by));
  }
  reader.column(centered_by, "the context id, which is needed to centre the factors");
}

FactorCells::FactorCells(const Fitted& fitted, const FeasibleSet* candidates,
                         std::vector<ColumnRequest>& requests)
    : candidates_(fitted.roles().centered_by.empty() ? nullptr : candidates),
      first_(requests.size()) {
  for (const std::string& name : fitted.factor_names()) requests.push_back({name});
  context_id_ = requests.size();
  if (candidates_ != nullptr) requests.push_back({candidates_->context_id(), true});
}

void FactorCells::read(const ChunkCells& cells, const TableChunk& chunk, std::size_t row,
                       std::span<double> z) const {
  for (std::size_t j = 0; j < z.size(); ++j) z[j] = cells.finite(chunk, first_ + j, row);
  if (candidates_ == nullptr) return;
  const auto mean = candidates_->of(chunk.columns[context_id_].texts[row]).mean_factors();
  for (std::size_t j = 0; j < z.size(); ++j) z[j] -= mean[j];
}

}  // namespace otss::internal
