// RowChunks holds consecutive rows of a log in memory, and answers a SumRequest with the sums of each
// chunk of 8192 rows. Every backend computes its sums here: the process that has all rows, a rank that
// has some of them, a worker of a cluster that has a partition.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>

#include "data/log/disk/tile_loop.hpp"
#include "data/log/tile_matrix.hpp"
#include "engine/chunk_sums.hpp"
#include "engine/engine.hpp"
#include "engine/outcomes.hpp"
#include "engine/signed_weights.hpp"
#include "engine/sum_request.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

// Returns the weights of a log's rows as the kernels read them. Outcomes that are not 0 or 1 are not
// in the signs.
SignedWeights signed_weights_of(const LoggedData& log, OutputFamily family);

// Returns tiles in which each context is replaced by its monomials up to degree two.
TileMatrix quadratic_tiles(const TileMatrix& features, int num_contexts);

class RowChunks {
 public:
  // Refers to the tiles of `log`, which must live longer. The first row of `log` must be the first
  // row of a chunk of the whole log, so that the chunks are those of the whole log.
  RowChunks(const LoggedData& log, const SumTarget& target, int num_threads);

  // Returns the sums of all chunks, in their order.
  ChunkSums sums(const SumRequest& request) const;

  // Returns the sum over the groups of the summed gradients' outer products (group_scores.hpp).
  // `groups` has the group of each row.
  Eigen::MatrixXd group_scores(const SumRequest& at, std::span<const std::uint32_t> groups) const;

  double total_weight() const { return rows_.total(); }

 private:
  void finish_chunk(TileLoop& loop, std::size_t chunk) const;
  ChunkSums gauss_newton_chunks(const SumRequest& at) const;
  ChunkSums pearson_chunks(const SumRequest& at) const;

  std::shared_ptr<const TileMatrix> features_;
  int num_contexts_;
  SignedWeights rows_;
  Outcomes outcomes_;
  int num_threads_;
  // The engine of the last request for a loss. The passes of a fit all have the same number of
  // experts.
  mutable std::unique_ptr<ChunkedEngine> engine_;
};

}  // namespace otss::internal
