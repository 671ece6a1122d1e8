// Says into how many parts the rows of a log are split when each part has sums of its own, such as a
// matrix.
#pragma once

#include <cstddef>

namespace otss::internal {

// The number of parts depends on the number of rows only, never on the number of threads, so that
// sums always have the same bits. More parts need more memory; with fewer parts some threads have
// no work.
inline std::size_t num_row_parts(std::size_t num_rows) {
  constexpr std::size_t kManyRows = 65'536;
  constexpr std::size_t kParts = 8;
  constexpr std::size_t kPartsOfManyRows = 32;
  return num_rows <= kManyRows ? kParts : kPartsOfManyRows;
}

}  // namespace otss::internal
