// The engine of one machine: tiles in memory, the best vector instructions, a few threads.
#pragma once

#include <memory>

#include "base/isa.hpp"
#include "data/log/tile_matrix.hpp"
#include "engine/engine.hpp"
#include "engine/outcomes.hpp"
#include "engine/signed_weights.hpp"

namespace otss {

// `features` has the contexts first, then the factors, and must outlive the engine. The cost of an
// evaluation is that of the tiles in which some row counts, so a subsample of whole tiles is as
// cheap as it is small.
std::unique_ptr<Engine> make_cpu_engine(const TileMatrix& features, int num_contexts,
                                        SignedWeights rows, int num_experts, int num_threads,
                                        Isa isa = active_isa(), Outcomes outcomes = {});

}  // namespace otss
