#include "otss/data/factor_centers.hpp"

#include <fmt/core.h>

#include <cmath>

#include "otss/base/error.hpp"

namespace otss {
namespace {

// Sums of each factor over the rows of each set; divided in the end.
class Means {
 public:
  explicit Means(std::size_t num_factors) : num_factors_(num_factors) {}

  std::size_t add_set() {
    counts_.push_back(0);
    sums_.resize(sums_.size() + num_factors_, 0.0);
    return counts_.size() - 1;
  }

  // Factor columns come first in the chunk.
  void add_row(std::size_t set, const TableChunk& chunk, std::size_t row, const TableReader& table,
               const std::vector<std::string>& factors) {
    ++counts_[set];
    for (std::size_t j = 0; j < num_factors_; ++j) {
      const double value = chunk.columns[j].numbers[row];
      if (!std::isfinite(value)) {
        throw Error(ErrorCode::kInput,
                    fmt::format("{}: row {}: factor '{}' is missing or not finite; mend it or "
                                "leave the row out",
                                table.name(), chunk.first_row + row + 1, factors[j]));
      }
      sums_[set * num_factors_ + j] += value;
    }
  }

  std::vector<double> finish() && {
    for (std::size_t i = 0; i < sums_.size(); ++i)
      sums_[i] /= static_cast<double>(counts_[i / num_factors_]);
    return std::move(sums_);
  }

 private:
  std::size_t num_factors_;
  std::vector<std::size_t> counts_;
  std::vector<double> sums_;
};

std::vector<ColumnRequest> factor_requests(const TableReader& table,
                                           const std::vector<std::string>& factors) {
  std::vector<ColumnRequest> requests;
  for (const std::string& factor : factors) {
    table.column(factor, "a factor, which --center-factors needs here too");
    requests.push_back({factor});
  }
  return requests;
}

}  // namespace

FactorCenters FactorCenters::of_library(const TableReader& library,
                                        const std::vector<std::string>& factors) {
  FactorCenters centers;
  centers.table_ = library.name();
  centers.num_factors_ = factors.size();
  Means means(factors.size());
  means.add_set();
  library.read(factor_requests(library, factors), [&](const TableChunk& chunk) {
    for (std::size_t row = 0; row < chunk.num_rows; ++row)
      means.add_row(0, chunk, row, library, factors);
  });
  centers.means_ = std::move(means).finish();
  return centers;
}

FactorCenters FactorCenters::of_candidates(const TableReader& candidates,
                                           const std::string& context_id,
                                           const std::vector<std::string>& factors) {
  FactorCenters centers;
  centers.table_ = candidates.name();
  centers.context_id_ = context_id;
  centers.num_factors_ = factors.size();
  std::vector<ColumnRequest> requests = factor_requests(candidates, factors);
  candidates.column(context_id, "--context-id");
  requests.push_back({context_id, true});
  Means means(factors.size());
  candidates.read(requests, [&](const TableChunk& chunk) {
    for (std::size_t row = 0; row < chunk.num_rows; ++row) {
      const auto [found, fresh] =
          centers.set_of_.try_emplace(std::string(chunk.columns.back().texts[row]), 0);
      if (fresh) found->second = means.add_set();
      means.add_row(found->second, chunk, row, candidates, factors);
    }
  });
  centers.means_ = std::move(means).finish();
  return centers;
}

std::span<const double> FactorCenters::of(std::string_view context) const {
  std::size_t set = 0;
  if (!context_id_.empty()) {
    const auto found = set_of_.find(std::string(context));
    if (found == set_of_.end()) {
      throw Error(ErrorCode::kInput,
                  fmt::format("{}: no candidates for context '{}'; add them, or leave its rows out",
                              table_, context));
    }
    set = found->second;
  }
  return std::span(means_).subspan(set * num_factors_, num_factors_);
}

}  // namespace otss
