// The tiles of a log on the GPU. Tiles that do not fit into its memory stay on the host, and every
// pass copies them while it works on others.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <functional>

#include "base/cuda/device_memory.hpp"
#include "data/log/tile_matrix.hpp"
#include "engine/cuda/staged_copy.hpp"
#include "otss/base/device.hpp"

namespace otss::internal::cuda {

// Consecutive tiles that are on the GPU.
struct TilePiece {
  const void* features = nullptr;
  std::size_t first_tile = 0;
  std::size_t num_tiles = 0;
};

// Returns how many bytes of tiles a log may keep on the GPU: what is free, except for a part that
// passes need. The environment variable OTSS_GPU_MEMORY sets another number of bytes.
std::size_t bytes_for_tiles();

class GpuTiles {
 public:
  // Keeps up to `most_bytes` of the tiles in the GPU's memory. `features` must live longer.
  GpuTiles(const TileMatrix& features, Storage storage, std::size_t most_bytes, int num_threads);
  ~GpuTiles();
  GpuTiles(const GpuTiles&) = delete;
  GpuTiles& operator=(const GpuTiles&) = delete;

  Storage storage() const { return storage_; }
  int num_columns() const { return features_.num_columns(); }
  std::size_t num_tiles() const { return features_.num_tiles(); }
  std::size_t num_resident() const { return num_resident_; }
  int num_multiprocessors() const { return num_multiprocessors_; }  // of the GPU

  // Calls use(piece) for all tiles, in their order. `use` starts work in stream() and need not wait
  // for it: the tiles stay until that work is done.
  void visit(const std::function<void(const TilePiece&)>& use) const;
  cudaStream_t stream() const { return work_; }

  // Copies other values of the log to the GPU, in stream(), as StagedCopy does.
  void copy(void* to, std::size_t num_bytes, const StagedCopy::Fill& fill) const {
    staged_.copy(static_cast<std::byte*>(to), num_bytes, fill, work_);
  }

 private:
  // Room for a piece of the tiles that are on the host.
  struct Slot {
    DeviceArray<std::byte> tiles;
    cudaEvent_t is_filled = nullptr, is_used = nullptr;
  };

  std::size_t bytes_of(std::size_t num_tiles) const;
  void start_copy(std::size_t first_tile, std::size_t num_tiles, std::byte* to,
                  cudaStream_t stream) const;
  TilePiece streamed_piece(std::size_t piece) const;
  std::size_t num_streamed_pieces() const;
  void start_piece(std::size_t piece) const;

  const TileMatrix& features_;
  Storage storage_;
  int num_multiprocessors_ = 0;
  std::size_t num_resident_ = 0;
  DeviceArray<std::byte> resident_;
  std::size_t tiles_per_slot_ = 0;
  std::array<Slot, 3> slots_;
  mutable StagedCopy staged_;
  cudaStream_t work_ = nullptr, copies_ = nullptr;
};

}  // namespace otss::internal::cuda
