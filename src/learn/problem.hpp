// The rows a mixture is fitted on: features somewhere, and which of them count.
#pragma once

#include <memory>

#include "engine/signed_weights.hpp"
#include "model/mixture_layout.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/data/tile_matrix.hpp"

namespace otss {

struct Problem {
  std::shared_ptr<const TileMatrix> features;  // contexts first, then factors
  int num_contexts = 0;
  SignedWeights rows;

  int num_factors() const { return features->num_columns() - num_contexts; }
  std::size_t num_rows() const { return features->num_rows(); }
  MixtureLayout layout(int num_experts) const { return {num_contexts, num_factors(), num_experts}; }

  // The same features with only the rows for which keep(row) holds.
  Problem restricted_to(const std::function<bool(std::size_t)>& keep) const;
};

// All rows of a log. The problem looks at the log's own tiles: the log must outlive it.
Problem whole_problem(const LoggedData& log);

// About `num_rows` of the rows that count, spread evenly over the log and copied into tiles of
// their own; `chosen` (if given) receives their indices.
Problem subsample(const Problem& problem, std::size_t num_rows,
                  std::vector<std::size_t>* chosen = nullptr);

}  // namespace otss
