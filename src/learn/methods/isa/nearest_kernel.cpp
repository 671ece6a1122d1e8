// A lane of a vector is a row. A column is loaded once for several centres.
#include "learn/methods/isa/nearest_kernel.hpp"

#include <limits>

#include "data/log/tile_matrix.hpp"
#include "model/maps/isa/vector.hpp"

namespace otss::internal {
namespace {

constexpr int kCentersAtOnce = 4;
constexpr int kVectors = 2;  // of rows, handled together so that sums do not wait for each other

struct Nearest {
  Vector index[kVectors];
  Vector distance[kVectors];
};

// Compares the centres from `first` on, `Count` in all.
template <int Count>
inline void compare(std::size_t num_columns, const double* columns, std::size_t first,
                    const double* centers, Nearest& nearest) {
  Vector sums[Count][kVectors] = {};
  for (std::size_t j = 0; j < num_columns; ++j) {
    Vector x[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) x[v] = load_unaligned(columns + j * kTileRows + v * kLanes);
#pragma GCC unroll 4
    for (int c = 0; c < Count; ++c) {
      const Vector center = broadcast(centers[(first + c) * num_columns + j]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        const Vector difference = x[v] - center;
        sums[c][v] += difference * difference;
      }
    }
  }
#pragma GCC unroll 4
  for (int c = 0; c < Count; ++c) {
    const Vector index = broadcast(static_cast<double>(first + c));
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      const auto nearer = sums[c][v] < nearest.distance[v];
      nearest.index[v] = nearer ? index : nearest.index[v];
      nearest.distance[v] = nearer ? sums[c][v] : nearest.distance[v];
    }
  }
}

void nearest_of_tile(std::size_t num_columns, const double* columns, std::size_t num_centers,
                     const double* centers, double* index, double* distance) {
  for (std::size_t i = 0; i < kTileRows; i += kVectors * kLanes) {
    Nearest nearest{};
    for (Vector& one : nearest.distance) one = broadcast(std::numeric_limits<double>::infinity());
    std::size_t c = 0;
    for (; c + kCentersAtOnce <= num_centers; c += kCentersAtOnce)
      compare<kCentersAtOnce>(num_columns, columns + i, c, centers, nearest);
    for (; c < num_centers; ++c) compare<1>(num_columns, columns + i, c, centers, nearest);
    for (int v = 0; v < kVectors; ++v) {
      store_unaligned(nearest.index[v], index + i + v * kLanes);
      store_unaligned(nearest.distance[v], distance + i + v * kLanes);
    }
  }
}

}  // namespace

const NearestKernel OTSS_ISA_NAMESPACE::kNearestKernel = {nearest_of_tile};

}  // namespace otss::internal
