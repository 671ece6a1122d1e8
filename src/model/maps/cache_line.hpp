// A CacheLine is eight doubles that fill one cache line. Packed matrices consist of cache lines.
// The size of a cache line is a multiple of the vector size of every instruction set, so all
// kernels can use the same packed matrix.
#pragma once

#include <cstddef>
#include <vector>

namespace otss::internal {

inline constexpr std::size_t kDoublesPerLine = 8;

struct alignas(64) CacheLine {
  double lanes[kDoublesPerLine] = {};
};

// Since C++17, std::vector respects the alignment of CacheLine.
using CacheLines = std::vector<CacheLine>;

inline constexpr std::size_t lines_for(std::size_t count) {
  return (count + kDoublesPerLine - 1) / kDoublesPerLine;
}

// Returns scratch memory for `size` doubles, which is valid until this thread's next call. Each thread
// keeps it, because a fit calls its kernel thousands of times.
inline double* thread_scratch(std::size_t size) {
  thread_local CacheLines lines;
  if (lines.size() < lines_for(size)) lines.resize(lines_for(size));
  return lines.front().lanes;
}

}  // namespace otss::internal
