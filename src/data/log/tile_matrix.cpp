#include "data/log/tile_matrix.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "data/log/disk/tile_file.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

[[noreturn]] void refuse_memory(std::size_t num_rows, int num_columns, std::size_t bytes) {
  throw Error(
      ErrorCode::kFailed,
      fmt::format("not enough memory for {} rows of {} columns ({} MB); use fewer rows or columns",
                  num_rows, num_columns, bytes >> 20));
}

// The bytes of the pages that lie completely in some tiles.
struct PageRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

PageRange pages_of(std::size_t first, std::size_t count, std::size_t tile_bytes) {
  constexpr std::size_t kPage = 4096;
  return {(first * tile_bytes + kPage - 1) / kPage * kPage,
          (first + count) * tile_bytes / kPage * kPage};
}

}  // namespace

TileMatrix::TileMatrix(std::size_t num_rows, int num_columns) : num_columns_(num_columns) {
  grow(num_rows);
}

TileMatrix::TileMatrix(std::shared_ptr<TileFile> file, int num_columns)
    : num_columns_(num_columns), file_(std::move(file)) {}

TileMatrix::TileMatrix(std::shared_ptr<TileFile> file, std::size_t num_rows, int num_columns,
                       std::vector<std::uint64_t> checksums)
    : num_rows_(num_rows),
      num_columns_(num_columns),
      file_(std::move(file)),
      seals_(std::move(checksums)) {
  const std::size_t bytes = tiles_for(num_rows) * tile_size() * sizeof(float);
  void* memory = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file_->descriptor(), 0);
  if (memory == MAP_FAILED) refuse_memory(num_rows, num_columns, bytes);
  madvise(memory, bytes, MADV_HUGEPAGE);
  data_ = static_cast<float*>(memory);
  mapped_bytes_ = bytes;
}

void TileMatrix::grow(std::size_t num_rows) {
  assert(num_rows >= num_rows_);
  reserve(num_rows);
  num_rows_ = num_rows;
}

void TileMatrix::reserve(std::size_t num_rows) {
  const std::size_t needed = tiles_for(num_rows) * tile_size() * sizeof(float);
  if (needed <= mapped_bytes_) return;
  // In memory, the mapping grows to at least twice its present size. Pages that are not used yet take
  // address space, but no memory. In a file they would take disk space.
  const std::size_t bytes = file_ != nullptr ? needed : std::max(needed, 2 * mapped_bytes_);
  void* memory = map(bytes);
  if (memory == MAP_FAILED) refuse_memory(num_rows, num_columns_, needed);
  madvise(memory, bytes, MADV_HUGEPAGE);
  data_ = static_cast<float*>(memory);
  mapped_bytes_ = bytes;
}

void* TileMatrix::map(std::size_t bytes) {
  if (file_ != nullptr) file_->reserve(bytes);
  if (data_ != nullptr) return mremap(data_, mapped_bytes_, bytes, MREMAP_MAYMOVE);
  const int kind = file_ != nullptr ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind,
              file_ != nullptr ? file_->descriptor() : -1, 0);
}

void TileMatrix::release_tiles(std::size_t first, std::size_t count) const {
  PageRange pages = pages_of(first, count, tile_size() * sizeof(float));
  // A page fault may also map megabytes of the file around the page (Linux: large folios). Tiles that
  // were released before may be among them, so they are released once more.
  constexpr std::size_t kMappedAround = 4U << 20U;
  pages.begin -= std::min(pages.begin, kMappedAround);
  release_bytes(pages.begin, pages.end);
}

void TileMatrix::release_bytes(std::size_t begin, std::size_t end) const {
  if (file_ == nullptr || data_ == nullptr || begin >= end) return;
  // The pages of a shared mapping stay in the file, even if they have just been written.
  madvise(reinterpret_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
}

void TileMatrix::prepare_seals() {
  if (file_ != nullptr) seals_ = TileSeals(num_tiles());
}

void TileMatrix::seal_tiles(std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < first + count && !seals_.empty(); ++i)
    seals_.seal(i, {tile(i), tile_size()});
}

void TileMatrix::check_tiles(std::size_t first, std::size_t count) const {
  if (seals_.empty()) return;
  const std::uint64_t reads = reads_from_disks();
  for (std::size_t i = first; i < first + count; ++i) {
    if (!seals_.holds(i, {tile(i), tile_size()}, reads)) file_->refuse_changed();
  }
}

void TileMatrix::discard_tiles(std::size_t first, std::size_t count) {
  const PageRange pages = pages_of(first, count, tile_size() * sizeof(float));
  if (pages.begin >= pages.end) return;
  if (file_ != nullptr) {
    // The disk space is given back too. If the file system cannot do that, the space is given back
    // when the file is closed.
    fallocate(file_->descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(pages.begin), static_cast<off_t>(pages.end - pages.begin));
  }
  madvise(reinterpret_cast<char*>(data_) + pages.begin, pages.end - pages.begin, MADV_DONTNEED);
}

TileMatrix::~TileMatrix() {
  if (data_ != nullptr) munmap(data_, mapped_bytes_);
}

TileMatrix::TileMatrix(TileMatrix&& other) noexcept
    : num_rows_(std::exchange(other.num_rows_, 0)),
      num_columns_(std::exchange(other.num_columns_, 0)),
      file_(std::move(other.file_)),
      data_(std::exchange(other.data_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)),
      seals_(std::move(other.seals_)) {}

TileMatrix& TileMatrix::operator=(TileMatrix&& other) noexcept {
  std::swap(num_rows_, other.num_rows_);
  std::swap(num_columns_, other.num_columns_);
  std::swap(file_, other.file_);
  std::swap(data_, other.data_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  std::swap(seals_, other.seals_);
  return *this;
}

}  // namespace otss::internal
