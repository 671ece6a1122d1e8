// Rows × columns of f32 in the order the kernels read them: tiles of 128 rows, and inside a tile
// one column after the other (array of structures of arrays). A vector lane is a row, so a kernel
// loads 16 rows of a column at once, and a tile is one contiguous block: it streams from memory and
// stays in the first-level cache for the backward half.
#pragma once

#include <cstddef>
#include <span>

namespace otss {

inline constexpr std::size_t kTileRows = 128;

class TileMatrix {
 public:
  TileMatrix() = default;
  TileMatrix(std::size_t num_rows,
             int num_columns);  // all zero; rows past the end of the last tile stay zero
  ~TileMatrix();
  TileMatrix(TileMatrix&& other) noexcept;
  TileMatrix& operator=(TileMatrix&& other) noexcept;

  // Adds rows of zeros at the end without copying the ones there are: pages move, their contents
  // stay.
  void grow(std::size_t num_rows);

  // Gives the memory of tiles that are no longer needed back to the system; they read as zeros.
  void discard_tiles(std::size_t first, std::size_t count);

  std::size_t num_rows() const { return num_rows_; }
  int num_columns() const { return num_columns_; }
  std::size_t num_tiles() const { return (num_rows_ + kTileRows - 1) / kTileRows; }

  // num_columns() × kTileRows floats, 64-byte aligned.
  const float* tile(std::size_t index) const { return data_ + index * tile_size(); }
  float* tile(std::size_t index) { return data_ + index * tile_size(); }
  std::size_t tile_size() const { return static_cast<std::size_t>(num_columns_) * kTileRows; }

  // The rows of one column inside one tile.
  std::span<const float, kTileRows> column(std::size_t tile_index, int column) const {
    return std::span<const float, kTileRows>(tile(tile_index) + column * kTileRows, kTileRows);
  }

  float at(std::size_t row, int column) const { return data_[offset(row, column)]; }
  float& at(std::size_t row, int column) { return data_[offset(row, column)]; }

 private:
  std::size_t offset(std::size_t row, int column) const {
    return (row / kTileRows) * tile_size() + static_cast<std::size_t>(column) * kTileRows +
           row % kTileRows;
  }

  std::size_t num_rows_ = 0;
  int num_columns_ = 0;
  float* data_ = nullptr;  // an anonymous mapping: zero without being touched, on huge pages where
                           // the system has them
  std::size_t mapped_bytes_ = 0;
};

}  // namespace otss
