// Shifts and scales columns so that they have mean 0 and standard deviation 1 on given rows.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace otss::internal {

class Standardizer {
 public:
  // Computes means and scales from a row-major matrix. A constant column is only centred.
  Standardizer(std::span<const double> matrix, std::size_t num_columns);

  // Standardises in place and clips the result to ±limit.
  void apply(std::span<double> matrix,
             double limit = std::numeric_limits<double>::infinity()) const;

 private:
  std::vector<double> means_, scales_;
};

}  // namespace otss::internal
