// The CPU engine works on one machine. It keeps the tiles in memory, uses vector instructions and
// runs on several threads.
#pragma once

#include <memory>

#include "base/isa.hpp"
#include "data/log/tile_matrix.hpp"
#include "engine/engine.hpp"
#include "engine/outcomes.hpp"
#include "engine/row_offsets.hpp"
#include "engine/signed_weights.hpp"

namespace otss::internal {

// `features` has the context columns first, then the factor columns, and must outlive the engine. A
// tile in which all rows have weight 0 costs no time. So a subsample should consist of whole tiles.
std::unique_ptr<ChunkedEngine> make_cpu_engine(const TileMatrix& features, int num_contexts,
                                               SignedWeights rows, int num_experts, int num_threads,
                                               Isa isa = active_isa(), Outcomes outcomes = {},
                                               RowOffsets offsets = {});

}  // namespace otss::internal
