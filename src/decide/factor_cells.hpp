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

// Throws an Error if the model was fitted on centred factors and the table or the candidates, which
// are needed to centre the factors of the table, are missing.
void require_candidates(const Fitted& fitted, const TableReader& reader,
                        const FeasibleSet* candidates);

class FactorCells {
 public:
  // Appends the factors, and the context id if the factors must be centred, to `requests`. For a
  // model without centred factors `candidates` are ignored.
  FactorCells(const Fitted& fitted, const FeasibleSet* candidates,
              std::vector<ColumnRequest>& requests);

  // Reads the factors of one row of a chunk of the requested columns, in the log's units.
  void read(const ChunkCells& cells, const TableChunk& chunk, std::size_t row,
            std::span<double> z) const;

 private:
  const FeasibleSet* candidates_;  // null if the model's factors are not centred
  std::size_t first_ = 0;          // position of the first factor among the requests
  std::size_t context_id_ = 0;     // position of the context id, if candidates_ is not null
};

}  // namespace otss::internal
