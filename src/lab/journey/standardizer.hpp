// Columns brought to mean 0 and sd 1 by the rows they were learned from.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace otss {

class Standardizer {
 public:
  // Learns from a row-major matrix. A constant column is only centred.
  Standardizer(std::span<const double> matrix, std::size_t num_columns);

  // In place; what lies beyond ±limit is brought back to it.
  void apply(std::span<double> matrix,
             double limit = std::numeric_limits<double>::infinity()) const;

 private:
  std::vector<double> means_, scales_;
};

}  // namespace otss
