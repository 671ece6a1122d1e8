#include "engine/gauss_newton.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "data/log/disk/tile_loop.hpp"
#include "engine/mixture_row.hpp"
#include "engine/outer_products.hpp"
#include "engine/row_parts.hpp"

namespace otss::internal {
namespace {

// Adds the terms of one tile's rows to `sum`: the outer product of sqrt(w_i v_i) J_i for each row i
// (gauss_newton.hpp explains these symbols).
void add_tile(const TileMatrix& features, const SignedWeights& rows, std::size_t tile,
              OutputFamily family, MixtureRow& row, OuterProducts& sum) {
  for (std::size_t i = 0; i < kTileRows; ++i) {
    const double weight = std::abs(rows.tile(tile)[i]);
    if (weight == 0) continue;
    row.evaluate(features.tile(tile) + i);
    const double scale = std::sqrt(weight * family.curvature(row.eta()));
    row.derivative(scale, sum.next());
  }
}

}  // namespace

Eigen::MatrixXd gauss_newton_of_tiles(const TileMatrix& features, const SignedWeights& rows,
                                      const TileRange& tiles, std::span<const double> theta,
                                      const MixtureLayout& layout, OutputFamily family,
                                      Mixed mixed) {
  MixtureRow row(layout, theta, mixed);
  OuterProducts sum(layout.size());
  for (std::size_t tile = tiles.first; tile < tiles.end; ++tile)
    add_tile(features, rows, tile, family, row, sum);
  return sum.sum();
}

Eigen::MatrixXd gauss_newton(const TileMatrix& features, const SignedWeights& rows,
                             std::span<const double> theta, const MixtureLayout& layout,
                             int num_threads, OutputFamily family, Mixed mixed) {
  assert(layout.num_contexts + layout.num_factors == features.num_columns());
  assert(theta.size() == layout.size() && rows.num_rows() == features.num_rows());
  std::vector<std::size_t> tiles;
  for (std::size_t tile = 0; tile < rows.num_tiles(); ++tile) {
    if (!rows.tile_is_empty(tile)) tiles.push_back(tile);
  }

  const std::size_t num_parts =
      std::min(num_row_parts(features.num_rows()), std::max<std::size_t>(tiles.size(), 1));
  std::vector<Eigen::MatrixXd> sums(num_parts);
  TileLoop loop(features);
  parallel_for(num_parts, num_threads, [&](std::size_t part) {
    MixtureRow row(layout, theta, mixed);
    OuterProducts sum(layout.size());
    const std::size_t end = (part + 1) * tiles.size() / num_parts;
    for (std::size_t t = part * tiles.size() / num_parts; t < end; ++t) {
      add_tile(features, rows, tiles[t], family, row, sum);
      loop.finish(tiles[t], 1);
    }
    sums[part] = sum.sum();
  });
  for (std::size_t part = 1; part < num_parts; ++part) sums[0] += sums[part];
  return std::move(sums[0]);
}

}  // namespace otss::internal
