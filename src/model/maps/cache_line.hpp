// Eight doubles on a cache line of their own: what packed matrices are made of. Every instruction
// set's vector divides it, so one packing serves all kernels.
#pragma once

#include <cstddef>
#include <vector>

namespace otss {

inline constexpr std::size_t kDoublesPerLine = 8;

struct alignas(64) CacheLine {
  double lanes[kDoublesPerLine] = {};
};

using CacheLines = std::vector<CacheLine>;  // aligned as CacheLine asks, since C++17

inline constexpr std::size_t lines_for(std::size_t count) {
  return (count + kDoublesPerLine - 1) / kDoublesPerLine;
}

}  // namespace otss
