#include "learn/posterior/cuda/chain_places.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <vector>

namespace otss::internal::cuda {
namespace {

struct FreePlaces {
  std::mutex mutex;
  std::vector<std::unique_ptr<ChainPlace>> places;
};

// Lives until the process ends: CUDA may end before static objects do.
FreePlaces& free_places() {
  static FreePlaces& places = *new FreePlaces;
  return places;
}

// Sizes are rounded up, so that chains of similar models share places.
std::size_t rounded(std::size_t bytes) { return std::bit_ceil(std::max<std::size_t>(bytes, 4096)); }

}  // namespace

void LeaveChainPlace::operator()(ChainPlace* place) const {
  cudaStreamSynchronize(place->stream);  // the last kernel may still wait for another trajectory
  FreePlaces& free = free_places();
  const std::lock_guard lock(free.mutex);
  free.places.emplace_back(place);
}

ChainPlaceInUse take_chain_place(std::size_t bytes_on_card, std::size_t shared_bytes) {
  FreePlaces& free = free_places();
  {
    const std::lock_guard lock(free.mutex);
    const auto fits = std::ranges::find_if(free.places, [&](const auto& place) {
      return place->on_card.size() >= bytes_on_card && place->shared.size() >= shared_bytes;
    });
    if (fits != free.places.end()) {
      ChainPlaceInUse place(fits->release());
      free.places.erase(fits);
      return place;
    }
  }
  return ChainPlaceInUse(new ChainPlace(rounded(bytes_on_card), rounded(shared_bytes)));
}

}  // namespace otss::internal::cuda
