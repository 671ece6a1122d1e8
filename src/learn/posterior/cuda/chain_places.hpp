// Where chains are followed on a GPU: memory of the card, memory that host and card share, and a stream.
//
// To give memory back to the card, and to ask for shared memory, waits until no kernel runs. The kernels
// of other chains run for long, so places are kept and used again.
#pragma once

#include <cstddef>
#include <memory>

#include "base/cuda/pinned_array.hpp"
#include "base/cuda/stream.hpp"

namespace otss::internal::cuda {

struct ChainPlace {
  DeviceArray<std::byte> on_card;
  PinnedArray<std::byte> shared;
  Stream stream;

  ChainPlace(std::size_t bytes_on_card, std::size_t shared_bytes)
      : on_card(bytes_on_card), shared(shared_bytes) {}
};

struct LeaveChainPlace {
  void operator()(ChainPlace* place) const;
};
using ChainPlaceInUse = std::unique_ptr<ChainPlace, LeaveChainPlace>;

// Returns a place with at least this memory, whose contents are not defined. Nobody else uses it until
// it is left.
ChainPlaceInUse take_chain_place(std::size_t bytes_on_card, std::size_t shared_bytes);

// Divides the memory of a place into arrays, each of which begins at a multiple of 256 bytes.
class PlaceDivider {
 public:
  explicit PlaceDivider(std::byte* begin) : next_(begin) {}

  template <class T>
  T* take(std::size_t count) {
    T* const array = reinterpret_cast<T*>(next_);
    next_ += bytes<T>(count);
    return array;
  }

  template <class T>
  static std::size_t bytes(std::size_t count) {
    return (count * sizeof(T) + 255) / 256 * 256;
  }

 private:
  std::byte* next_;
};

}  // namespace otss::internal::cuda
