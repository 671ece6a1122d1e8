// FactorCells reads the factors of decisions from a user's table. It centres them, if the model was
// fitted on centred factors.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "data/table/chunk_cells.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/table.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

// Throws an Error if the factors of the table must be centred but cannot be. A model that was
// fitted on centred factors needs the candidates, and a table with the context id.
void require_candidates(const Fitted& fitted, const TableReader& reader,
                        const FeasibleSet* candidates);

class FactorCells {
 public:
  // Appends the columns of the factors to `requests`. If the factors must be centred, also appends
  // the column of the context id. For a model without centred factors, `candidates` are ignored.
  FactorCells(const Fitted& fitted, const FeasibleSet* candidates,
              std::vector<ColumnRequest>& requests);

  // Reads the factors of one row of a chunk of the requested columns, in the log's units.
  void read(const ChunkCells& cells, const TableChunk& chunk, std::size_t row,
            std::span<double> z) const;

 private:
  const FeasibleSet* candidates_;  // null if the model's factors are not centred
  std::size_t first_ = 0;          // the position of the first factor among the requests
  std::size_t context_id_ = 0;  // the position of the context id; not used if candidates_ is null
};

}  // namespace otss::internal
