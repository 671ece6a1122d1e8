#include "otss/data/tile_matrix.hpp"

#include <fmt/core.h>
#include <sys/mman.h>

#include <utility>

#include "otss/base/error.hpp"

namespace otss {

TileMatrix::TileMatrix(std::size_t num_rows, int num_columns) : num_rows_(num_rows), num_columns_(num_columns) {
  mapped_bytes_ = num_tiles() * tile_size() * sizeof(float);
  if (mapped_bytes_ == 0) return;
  void* memory = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorCode::kFailed, fmt::format("not enough memory for {} rows of {} encoded columns ({} MB)", num_rows,
                                                num_columns, mapped_bytes_ >> 20));
  }
  madvise(memory, mapped_bytes_, MADV_HUGEPAGE);
  data_ = static_cast<float*>(memory);
}

TileMatrix::~TileMatrix() {
  if (data_ != nullptr) munmap(data_, mapped_bytes_);
}

TileMatrix::TileMatrix(TileMatrix&& other) noexcept
    : num_rows_(std::exchange(other.num_rows_, 0)),
      num_columns_(std::exchange(other.num_columns_, 0)),
      data_(std::exchange(other.data_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)) {}

TileMatrix& TileMatrix::operator=(TileMatrix&& other) noexcept {
  std::swap(num_rows_, other.num_rows_);
  std::swap(num_columns_, other.num_columns_);
  std::swap(data_, other.data_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  return *this;
}

}  // namespace otss
