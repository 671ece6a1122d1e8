// A RoutedKernel evaluates a mixture of probabilities on a tile of kTileRows rows, for one instruction
// set. The object files of all instruction sets include this header, so it must not define an inline
// function that becomes a symbol.
#pragma once

#include <cstddef>

#include "base/isa.hpp"

namespace otss::internal {

// The linear functions of one tile's rows, K columns of kTileRows values each: the K-1 gate scores and
// the baseline; the experts' own parts of their linear predictors. A row's weight is the absolute value
// of its signed weight; its outcome is 1 if the sign is positive.
struct RoutedTile {
  std::size_t num_experts;
  const float* signed_weights;
  double* contexts;
  double* experts;
};

struct RoutedKernel {
  // Returns the weighted loss of the rows, and replaces each function by the derivative of the loss with
  // respect to it.
  double (*slopes)(const RoutedTile& tile);

  // Replaces the gate scores by the shares of the first K-1 experts, and each expert's function by its
  // curvature: the second derivative of the weighted loss if the responsibilities are held fixed. The
  // baseline is replaced by the sum of these curvatures.
  void (*curvatures)(const RoutedTile& tile);
};

namespace baseline {
extern const RoutedKernel kRoutedKernel;
}
namespace avx2 {
extern const RoutedKernel kRoutedKernel;
}
namespace avx512 {
extern const RoutedKernel kRoutedKernel;
}

}  // namespace otss::internal
