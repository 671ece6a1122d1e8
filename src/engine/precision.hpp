#pragma once

namespace otss::internal {

// The precision of the arithmetic inside a chunk of rows; sums over chunks are always f64.
enum class Precision { kSingle, kDouble };

}  // namespace otss::internal
