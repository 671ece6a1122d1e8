// A DecisionCounter counts, over all rows of a log, how often each decision is chosen and was logged.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/table/chunk_cells.hpp"
#include "decide/row_decider.hpp"
#include "otss/data/feasible_set.hpp"
#include "report/log/factor_match.hpp"
#include "report/log/log_pass.hpp"

namespace otss::internal {

class DecisionCounter {
 public:
  // `has_ids` is true if the log has the ids of the logged decisions. If it does not, logged
  // decisions are found by their factors, if the log has all factors. The other arguments must
  // outlive this object.
  DecisionCounter(const Fitted& fitted, const TableReader& reader, const FeasibleSet& feasible,
                  bool has_ids);
  DecisionCounter(const DecisionCounter&) = delete;
  DecisionCounter& operator=(const DecisionCounter&) = delete;

  // The columns that every chunk must have: the factors, or none.
  const std::vector<ColumnRequest>& requests() const { return requests_; }

  void add(const TableChunk& chunk, const DecidedRows& decided);

  // Returns the counts. Logged decisions that were found by their factors count as known if nearly
  // all rows have a decision of the feasible set.
  DecisionCounts result() const;

 private:
  std::optional<std::size_t> logged(const TableChunk& chunk, const DecidedRows& decided,
                                    std::size_t row);

  std::vector<ColumnRequest> requests_;
  ChunkCells cells_;
  std::optional<FactorMatch> match_;  // absent if the log has ids, or lacks factors
  bool has_ids_;
  std::vector<double> z_;
  std::size_t rows_ = 0, found_ = 0;
  DecisionCounts counts_;
};

}  // namespace otss::internal
