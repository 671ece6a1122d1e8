// A TileMatrix is a matrix of f32 numbers in the order in which the kernels read them. Rows are
// divided into tiles of 128 rows. Inside a tile, one column is stored after the other. Each lane of
// a vector register holds one row, so a kernel loads up to 16 rows of a column at once. A tile is
// one contiguous block of memory. The forward pass reads the tile from memory, and the backward
// pass still finds the tile in the first-level cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/log/disk/tile_seals.hpp"

namespace otss::internal {

inline constexpr std::size_t kTileRows = 128;

class TileFile;  // data/log/disk/tile_file.hpp

class TileMatrix {
 public:
  TileMatrix() = default;
  // Makes a matrix of zeros. The last tile may have more rows than are needed. These extra rows
  // must stay zero.
  TileMatrix(std::size_t num_rows, int num_columns);
  // Makes a matrix without rows whose tiles are in a file. With a null pointer, the tiles are in
  // memory.
  TileMatrix(std::shared_ptr<TileFile> file, int num_columns);
  // Makes a matrix from the tiles that the file begins with. These tiles are only read. `checksums` are
  // those of the matrix that was written to the file.
  TileMatrix(std::shared_ptr<TileFile> file, std::size_t num_rows, int num_columns,
             std::vector<std::uint64_t> checksums);
  ~TileMatrix();
  TileMatrix(TileMatrix&& other) noexcept;
  TileMatrix& operator=(TileMatrix&& other) noexcept;

  // Adds rows of zeros at the end. The system remaps the pages, so existing rows are not copied.
  void grow(std::size_t num_rows);

  // Makes room for this many rows. Until the matrix has more rows than that, grow() does not move
  // its memory.
  void reserve(std::size_t num_rows);

  // Returns the memory of the given tiles to the system. Afterwards these tiles read as zeros.
  void discard_tiles(std::size_t first, std::size_t count);

  // If the tiles are in a file, removes the given tiles from the memory of this process. The tiles
  // keep their values, and are read from the file when they are used again. If the tiles are in
  // memory, this function does nothing. Loops over all tiles use a TileLoop instead.
  void release_tiles(std::size_t first, std::size_t count) const;
  // Does the same for a range of bytes that begins at a page.
  void release_bytes(std::size_t begin, std::size_t end) const;
  // Releases the tiles of the given rows.
  void release_rows(std::size_t first, std::size_t end) const {
    release_tiles(first / kTileRows, tiles_for(end) - first / kTileRows);
  }

  // If the tiles are in a file, remembers a checksum of the given tiles. The matrix must have all its
  // rows, and these tiles must not change any more. Several threads may seal different tiles.
  void seal_tiles(std::size_t first, std::size_t count);
  // Makes room for the checksums of all tiles. Call this function when the matrix has all its rows, and
  // before the first seal_tiles().
  void prepare_seals();
  // Throws Error(kIo) if a tile is not as it was when it was sealed. Tiles that were not sealed are
  // not checked, nor are tiles that have been checked since this process last read from a disk. Whoever
  // sums over the tiles of a file calls this function while they are still in the cache.
  void check_tiles(std::size_t first, std::size_t count) const;

  // Returns the checksums of the tiles. There are none if the tiles are not sealed.
  std::span<const std::uint64_t> checksums() const { return seals_.checksums(); }

  // Returns the file that the tiles are in, or null if they are in memory.
  const std::shared_ptr<TileFile>& file() const { return file_; }

  std::size_t num_rows() const { return num_rows_; }
  int num_columns() const { return num_columns_; }
  std::size_t num_tiles() const { return tiles_for(num_rows_); }

  // Returns a pointer to the first number of a tile. A tile has num_columns() × kTileRows numbers
  // and is 64-byte aligned.
  const float* tile(std::size_t index) const { return data_ + index * tile_size(); }
  float* tile(std::size_t index) { return data_ + index * tile_size(); }
  std::size_t tile_size() const { return static_cast<std::size_t>(num_columns_) * kTileRows; }

  // Returns the values of one column in one tile.
  std::span<const float, kTileRows> column(std::size_t tile_index, int column) const {
    return std::span<const float, kTileRows>(tile(tile_index) + column * kTileRows, kTileRows);
  }

  float at(std::size_t row, int column) const { return data_[offset(row, column)]; }
  float& at(std::size_t row, int column) { return data_[offset(row, column)]; }

 private:
  static std::size_t tiles_for(std::size_t num_rows) {
    return (num_rows + kTileRows - 1) / kTileRows;
  }
  std::size_t offset(std::size_t row, int column) const {
    return (row / kTileRows) * tile_size() + static_cast<std::size_t>(column) * kTileRows +
           row % kTileRows;
  }

  std::size_t num_rows_ = 0;
  int num_columns_ = 0;
  void* map(std::size_t bytes);

  std::shared_ptr<TileFile> file_;  // null if the tiles are in memory
  // The memory is an anonymous mapping, which the system fills with zeros and which uses huge pages
  // if the system has them; or it is a mapping of the file.
  float* data_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  TileSeals seals_;  // empty if tiles are not sealed
};

}  // namespace otss::internal
