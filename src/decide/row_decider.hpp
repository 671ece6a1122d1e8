// A RowDecider finds, for each row of a log, the model's best decision and the decision that was
// logged.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/table/chunk_cells.hpp"
#include "model/units/unit_cells.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/decide/decider.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

// The decisions of consecutive rows of a log.
struct DecidedRows {
  // The context id of each row. Empty if the feasible set is a library.
  std::vector<std::string> context_ids;
  BeliefsOfRows beliefs;       // what is known about the unit of each row
  std::vector<Decision> best;  // the model's decision of each row
  // The row of each logged decision in the table of the feasible set. Empty if it is not known.
  std::vector<std::size_t> logged;

  // Returns the context id of a row, or an empty text if the feasible set is a library.
  std::string_view context_of(std::size_t row) const {
    return context_ids.empty() ? std::string_view() : std::string_view(context_ids[row]);
  }
};

class RowDecider {
 public:
  // `decision` names the column with the id of the logged decision. It is empty if logged decisions
  // are not needed. The other arguments must outlive this object.
  RowDecider(const TableReader& reader, const Fitted& fitted, const std::string& decision,
             const FeasibleSet& feasible, const UnitColumns& units, int threads = 1);
  RowDecider(const RowDecider&) = delete;
  RowDecider& operator=(const RowDecider&) = delete;

  // The columns that every chunk must have. The model's context columns come first.
  const std::vector<ColumnRequest>& requests() const { return requests_; }

  // Returns the decisions of a chunk, whose encoded contexts are `x`. A logged id that is not in the
  // feasible set is an Error that names the row. So is a factor of the log whose value differs from
  // the value in the feasible set.
  DecidedRows decide(const TableChunk& chunk, std::span<const double> x) const;

 private:
  std::size_t logged_decision(const TableChunk& chunk, std::size_t row,
                              std::string_view context) const;
  std::optional<std::size_t> find(std::string_view context, std::string_view id) const;
  void check_factors(const TableChunk& chunk, std::size_t row, std::string_view context,
                     std::size_t decision) const;
  std::string described(std::string_view context) const;

  const Fitted& fitted_;
  const FeasibleSet& feasible_;
  Decider decider_;
  std::unordered_map<std::string_view, std::size_t> row_of_id_;  // only of a library
  std::vector<ColumnRequest> requests_;
  UnitCells units_;
  ChunkCells cells_;
  // Positions in requests_. An absent position means that the column is not read.
  std::optional<std::size_t> decision_, context_id_;
  std::vector<std::optional<std::size_t>> factors_;
};

}  // namespace otss::internal
