// Sums outer products v v' of many vectors, which is what most of the time of a Gauss–Newton matrix
// is spent on.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/cpu/outer_products_kernel.hpp"

namespace otss::internal {

class OuterProducts {
 public:
  explicit OuterProducts(std::size_t size);

  // Returns the entries of the next vector. The caller writes all of them.
  std::span<double> next();

  // Returns the sum over all vectors. Both triangles are filled. Call this function once.
  Eigen::MatrixXd sum();

 private:
  void flush();

  std::size_t size_;
  std::size_t stride_;  // size_, rounded up as the kernel needs it
  std::vector<double> sum_;
  std::vector<double> vectors_;  // vectors that are not in the sum yet
  std::size_t used_ = 0;         // their number
  OuterProductsKernel kernel_;
};

}  // namespace otss::internal
