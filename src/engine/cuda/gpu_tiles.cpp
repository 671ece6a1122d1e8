#include "engine/cuda/gpu_tiles.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/cuda/gpu.hpp"
#include "engine/half/half_rows.hpp"
#include "otss/base/error.hpp"

namespace otss::internal::cuda {
namespace {

constexpr std::size_t kSlotBytes = std::size_t{128} << 20;
constexpr std::size_t kBytesForPasses = std::size_t{1} << 30;  // sums, weights, slots

std::size_t bytes_from_environment(const char* text) {
  std::size_t bytes = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, bytes);
  if (error != std::errc() || rest != end)
    throw Error(ErrorCode::kUsage,
                fmt::format("OTSS_GPU_MEMORY={}: give a whole number of bytes", text));
  return bytes;
}

}  // namespace

std::size_t bytes_for_tiles() {
  if (const char* text = std::getenv("OTSS_GPU_MEMORY")) return bytes_from_environment(text);
  std::size_t free_bytes = 0, all_bytes = 0;
  require(cudaMemGetInfo(&free_bytes, &all_bytes), "tell its memory");
  return free_bytes - std::min(free_bytes, kBytesForPasses + free_bytes / 20);
}

GpuTiles::GpuTiles(const TileMatrix& features, Storage storage, std::size_t most_bytes,
                   int num_threads)
    : features_(features), storage_(storage), staged_(num_threads) {
  require(cudaDeviceGetAttribute(&num_multiprocessors_, cudaDevAttrMultiProcessorCount, use_gpu()),
          "tell its size");
  require(cudaStreamCreate(&work_), "start a stream");
  require(cudaStreamCreate(&copies_), "start a stream");
  num_resident_ = std::min(features.num_tiles(), most_bytes / bytes_of(1));
  resident_ = DeviceArray<std::byte>(bytes_of(num_resident_));
  start_copy(0, num_resident_, resident_.data(), work_);
  if (num_resident_ == features.num_tiles()) return;
  tiles_per_slot_ = std::max<std::size_t>(1, kSlotBytes / bytes_of(1));
  for (Slot& slot : slots_) {
    slot.tiles = DeviceArray<std::byte>(bytes_of(tiles_per_slot_));
    require(cudaEventCreateWithFlags(&slot.is_filled, cudaEventDisableTiming), "make an event");
    require(cudaEventCreateWithFlags(&slot.is_used, cudaEventDisableTiming), "make an event");
  }
}

GpuTiles::~GpuTiles() {
  cudaStreamSynchronize(work_);
  for (const Slot& slot : slots_) {
    if (slot.is_filled != nullptr) cudaEventDestroy(slot.is_filled);
    if (slot.is_used != nullptr) cudaEventDestroy(slot.is_used);
  }
  cudaStreamDestroy(copies_);
  cudaStreamDestroy(work_);
}

std::size_t GpuTiles::bytes_of(std::size_t num_tiles) const {
  return num_tiles * features_.tile_size() *
         (storage_ == Storage::kHalf ? sizeof(HalfBits) : sizeof(float));
}

void GpuTiles::start_copy(std::size_t first_tile, std::size_t num_tiles, std::byte* to,
                          cudaStream_t stream) const {
  const auto* const tiles = reinterpret_cast<const std::byte*>(features_.tile(first_tile));
  staged_.copy(
      to, bytes_of(num_tiles),
      [&](std::byte* buffer, std::size_t begin, std::size_t end) {
        if (storage_ == Storage::kHalf)
          write_half_rows(features_, first_tile, {begin, end}, buffer);
        else
          std::memcpy(buffer, tiles + begin, end - begin);
      },
      stream);
}

std::size_t GpuTiles::num_streamed_pieces() const {
  const std::size_t streamed = num_tiles() - num_resident_;
  return streamed == 0 ? 0 : (streamed + tiles_per_slot_ - 1) / tiles_per_slot_;
}

TilePiece GpuTiles::streamed_piece(std::size_t piece) const {
  const std::size_t first = num_resident_ + piece * tiles_per_slot_;
  return {slots_[piece % slots_.size()].tiles.data(), first,
          std::min(tiles_per_slot_, num_tiles() - first)};
}

void GpuTiles::start_piece(std::size_t piece) const {
  const Slot& slot = slots_[piece % slots_.size()];
  const TilePiece room = streamed_piece(piece);
  require(cudaStreamWaitEvent(copies_, slot.is_used), "wait for a pass");
  start_copy(room.first_tile, room.num_tiles, slot.tiles.data(), copies_);
  features_.release_tiles(room.first_tile, room.num_tiles);
  require(cudaEventRecord(slot.is_filled, copies_), "finish a copy");
}

void GpuTiles::visit(const std::function<void(const TilePiece&)>& use) const {
  if (num_resident_ > 0) use({resident_.data(), 0, num_resident_});
  const std::size_t count = num_streamed_pieces();
  for (std::size_t piece = 0; piece < count; ++piece) {
    // The host fills buffers here while the GPU works on the pieces before.
    start_piece(piece);
    const Slot& slot = slots_[piece % slots_.size()];
    require(cudaStreamWaitEvent(work_, slot.is_filled), "wait for a copy");
    use(streamed_piece(piece));
    require(cudaEventRecord(slot.is_used, work_), "finish a piece");
  }
}

}  // namespace otss::internal::cuda
