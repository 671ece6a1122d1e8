#include "data/log/tile_matrix.hpp"

#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "otss/base/error.hpp"

namespace otss::internal {

TileMatrix::TileMatrix(std::size_t num_rows, int num_columns) : num_columns_(num_columns) {
  grow(num_rows);
}

void TileMatrix::grow(std::size_t num_rows) {
  assert(num_rows >= num_rows_);
  reserve(num_rows);
  num_rows_ = num_rows;
}

void TileMatrix::reserve(std::size_t num_rows) {
  const std::size_t needed = tiles_for(num_rows) * tile_size() * sizeof(float);
  if (needed <= mapped_bytes_) return;
  // The mapping grows to at least twice its present size. Pages that are not used yet take address
  // space, but no memory.
  const std::size_t bytes = std::max(needed, 2 * mapped_bytes_);
  void* memory = data_ == nullptr ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                  : mremap(data_, mapped_bytes_, bytes, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) {
    throw Error(
        ErrorCode::kFailed,
        fmt::format(
            "not enough memory for {} rows of {} columns ({} MB); use fewer rows or columns",
            num_rows, num_columns_, needed >> 20));
  }
  madvise(memory, bytes, MADV_HUGEPAGE);
  data_ = static_cast<float*>(memory);
  mapped_bytes_ = bytes;
}

void TileMatrix::discard_tiles(std::size_t first, std::size_t count) {
  constexpr std::size_t kPage = 4096;
  const std::size_t tile_bytes = tile_size() * sizeof(float);
  const std::size_t begin = (first * tile_bytes + kPage - 1) / kPage * kPage;
  const std::size_t end = (first + count) * tile_bytes / kPage * kPage;
  if (begin < end) madvise(reinterpret_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
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

}  // namespace otss::internal
