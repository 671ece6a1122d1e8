// A NearestKernel finds the nearest centre of each row of a tile, for one instruction set. The object
// files of all instruction sets include this header, so it must not define an inline function that
// becomes a symbol.
#pragma once

#include <cstddef>

#include "base/isa.hpp"

namespace otss::internal {

struct NearestKernel {
  // `columns` has the first column for all kTileRows rows, then the second column, and so on; `centers`
  // has one centre after the other, each with an entry per column. Writes the index of each row's
  // nearest centre, the first if several are equally near, and the squared distance to it.
  void (*nearest)(std::size_t num_columns, const double* columns, std::size_t num_centers,
                  const double* centers, double* index, double* distance);
};

namespace baseline {
extern const NearestKernel kNearestKernel;
}
namespace avx2 {
extern const NearestKernel kNearestKernel;
}
namespace avx512 {
extern const NearestKernel kNearestKernel;
}

}  // namespace otss::internal
