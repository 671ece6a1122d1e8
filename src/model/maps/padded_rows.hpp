// This header pads the rows of a matrix with zeros to whole cache lines. The vector kernels read
// matrices in this form.
#pragma once

#include <cstddef>

#include "model/maps/cache_line.hpp"

namespace otss::internal {

class PaddedRows {
 public:
  PaddedRows(std::size_t num_rows, std::size_t num_columns)
      : lines_per_row_(lines_for(num_columns)), lines_(num_rows * lines_per_row_) {}

  double& at(std::size_t row, std::size_t column) {
    return lines_[row * lines_per_row_ + column / kDoublesPerLine].lanes[column % kDoublesPerLine];
  }
  const double* data() const { return lines_.empty() ? nullptr : lines_.front().lanes; }

 private:
  std::size_t lines_per_row_;
  CacheLines lines_;
};

}  // namespace otss::internal
