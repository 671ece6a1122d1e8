// Eight doubles that fill one cache line: the unit of packed matrices. Its size is a multiple of
// every instruction set's vector, so that one packing serves all kernels.
#pragma once

#include <cstddef>
#include <vector>

namespace otss {

inline constexpr std::size_t kDoublesPerLine = 8;

struct alignas(64) CacheLine {
  double lanes[kDoublesPerLine] = {};
};

using CacheLines = std::vector<CacheLine>;  // since C++17, std::vector respects the alignment

inline constexpr std::size_t lines_for(std::size_t count) {
  return (count + kDoublesPerLine - 1) / kDoublesPerLine;
}

}  // namespace otss
