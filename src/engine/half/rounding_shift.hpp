// By how much a fit to rounded columns differs from a fit to the columns themselves, once the difference
// that a sample shows is corrected (corrected_engine.hpp).
#pragma once

#include <vector>

#include "data/log/tile_matrix.hpp"

namespace otss::internal {

// Storage that shifts weights by more than this share of their standard errors is refused.
inline constexpr double kLargestRoundingShift = 0.02;

// Returns for each column the expected shift of its weights, in standard errors. `original` and `rounded`
// are the sample's rows.
//
// A rounding error e of a column x, with standard deviations d and s, changes the score of n rows by a sum
// of n numbers whose deviation is d/s of that of the score itself. So the estimate moves by d/s standard
// errors, and by sqrt(tiles per sampled tile) as much if a sample stands for all rows. If x is nearly a
// linear function of the other columns, s is what the others leave of it. If the stored column
// is x stretched, the correction removes that: only what is not linear in the stored column counts. Where tails are heavy, the
// middle 90 % of the rows may say most about a weight, so d/s is also taken over these, and the larger one
// counts.
std::vector<double> rounding_shifts(const TileMatrix& original, const TileMatrix& rounded,
                                    int num_contexts);

}  // namespace otss::internal
