// The loss of rows that are stored with less precision, corrected with a sample of the rows in full
// precision.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/engine.hpp"

namespace otss::internal {

// Every so many tiles, one is in the sample. The sum over the rows as stored, plus this number times the
// difference that rounding makes on the sample, has an error of about sqrt(kTilesPerSampledTile) times
// the rounding of one row, in standard errors of the weights (docs/adr/0048).
inline constexpr std::size_t kTilesPerSampledTile = 64;

// Returns the rows of every kTilesPerSampledTile-th tile of a log.
std::vector<std::size_t> sampled_rows(std::size_t num_rows);

// Returns an engine whose loss is stored + ratio (original - rounded): `stored` has all rows as they are
// stored, `original` and `rounded` have the sample in full precision and as it is stored, and the ratio
// is that of the total weights.
std::unique_ptr<Engine> make_corrected_engine(std::unique_ptr<Engine> stored,
                                              std::unique_ptr<Engine> original,
                                              std::unique_ptr<Engine> rounded);

}  // namespace otss::internal
