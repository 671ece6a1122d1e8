#pragma once

namespace otss {

enum class Precision { kSingle, kDouble };  // of the arithmetic; sums over chunks are always f64

}  // namespace otss
