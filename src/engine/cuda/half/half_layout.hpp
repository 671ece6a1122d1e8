// Translates between the parameters of a mixture (MixtureLayout) and what a kernel for rows in f16 reads
// and adds up (half_kernels.hpp): for each of the 2K values, one number for each column.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/cuda/half/half_shape.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal::cuda {

class HalfLayout {
 public:
  HalfLayout(const HalfShape& shape, const MixtureLayout& layout)
      : shape_(shape), layout_(layout) {}

  std::vector<double> coefficients(std::span<const double> theta) const {
    std::vector<double> out(static_cast<std::size_t>(shape_.values()) * shape_.columns());
    visit_functions([&](int value, int first_column, std::size_t at, int count) {
      for (int c = 0; c < count; ++c) out[place(value, first_column + c)] = theta[at + c];
    });
    return out;
  }

  std::vector<double> constants(std::span<const double> theta) const {
    std::vector<double> out(shape_.values());
    visit_functions(
        [&](int value, int, std::size_t at, int count) { out[value] = theta[at + count]; });
    return out;
  }

  // Returns the gradient in the order of MixtureLayout, then the loss. `totals` has the sums of a warp,
  // added over all warps.
  std::vector<double> gradient_and_loss(std::span<const double> totals) const {
    std::vector<double> out(layout_.size() + 1);
    const std::size_t constants = place(shape_.values(), 0);
    visit_functions([&](int value, int first_column, std::size_t at, int count) {
      for (int c = 0; c < count; ++c) out[at + c] = totals[place(value, first_column + c)];
      out[at + count] = totals[constants + value];
    });
    out.back() = totals[constants + shape_.values()];
    return out;
  }

 private:
  std::size_t place(int value, int column) const {
    return static_cast<std::size_t>(value) * shape_.columns() + column;
  }

  // Calls visit(number of the value, its first column, position of its first coefficient in theta, number
  // of its coefficients) for the 2K linear functions. The intercept follows the coefficients.
  template <class Visit>
  void visit_functions(const Visit& visit) const {
    for (int k = 0; k < shape_.experts; ++k) {
      visit(k, 0, layout_.gate(k), layout_.num_contexts);
      visit(shape_.experts + k, layout_.num_contexts, layout_.expert(k), layout_.num_factors);
    }
  }

  HalfShape shape_;
  MixtureLayout layout_;
};

}  // namespace otss::internal::cuda
