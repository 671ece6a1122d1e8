// Translates between the parameters of a mixture (MixtureLayout) and what a kernel of one shape reads
// and adds up (mixture_kernels.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/cuda/kernel_shape.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal::cuda {

class PassLayout {
 public:
  PassLayout(const KernelShape& shape, const MixtureLayout& layout)
      : shape_(shape), layout_(layout) {}

  // Returns K coefficients for each column of the shape.
  std::vector<double> coefficients(std::span<const double> theta) const {
    std::vector<double> out(shape_.columns() * shape_.experts);
    visit_columns([&](int column, int, std::size_t at, int step) {
      for (int k = 0; k < shape_.experts; ++k)
        out[column * shape_.experts + k] = theta[at + k * step];
    });
    return out;
  }

  // Returns the intercepts: of the gate scores, of the baseline, of the experts.
  std::vector<double> constants(std::span<const double> theta) const {
    std::vector<double> out(2 * shape_.experts);
    visit_constants([&](int v, std::size_t at) { out[v] = theta[at]; });
    return out;
  }

  // Returns how many sums a team of warps has.
  std::size_t sums_of_team() const {
    return static_cast<std::size_t>(shape_.team) * shape_.sums_of_warp();
  }

  // Returns the gradient in the order of MixtureLayout, then the loss. `totals` has the sums of a
  // team, added over all teams.
  std::vector<double> gradient_and_loss(std::span<const double> totals) const {
    std::vector<double> out(layout_.size() + 1);
    visit_columns([&](int, int place, std::size_t at, int step) {
      for (int k = 0; k < shape_.experts; ++k) out[at + k * step] = totals[place + k];
    });
    // Every member of a team has the constants and the loss of its own rows.
    for (int member = 0; member < shape_.team; ++member) {
      const double* const own =
          &totals[member * shape_.sums_of_warp() + shape_.warp_columns() * shape_.experts];
      visit_constants([&](int v, std::size_t at) { out[at] += own[v]; });
      out.back() += own[2 * shape_.experts];
    }
    return out;
  }

 private:
  // Calls visit(column of the shape, place of the column's first sum, position of its first
  // parameter in theta, step from one of the K functions to the next) for every column of the log.
  template <class Visit>
  void visit_columns(const Visit& visit) const {
    const auto place = [&](int member, int column_of_warp) {
      return member * shape_.sums_of_warp() + column_of_warp * shape_.experts;
    };
    for (int c = 0; c < layout_.num_contexts; ++c) {
      const int own = shape_.warp_contexts();
      visit(c, place(c / own, c % own), layout_.gate(0) + c, layout_.num_contexts + 1);
    }
    for (int j = 0; j < layout_.num_factors; ++j) {
      const int own = shape_.warp_factors();
      visit(shape_.contexts + j, place(j / own, shape_.warp_contexts() + j % own),
            layout_.expert(0) + j, layout_.num_factors + 1);
    }
  }

  // Calls visit(number of the constant, its position in theta) for the 2K intercepts.
  template <class Visit>
  void visit_constants(const Visit& visit) const {
    for (int k = 0; k < shape_.experts; ++k) {
      visit(k, layout_.gate(k) + layout_.num_contexts);
      visit(shape_.experts + k, layout_.expert(k) + layout_.num_factors);
    }
  }

  KernelShape shape_;
  MixtureLayout layout_;
};

}  // namespace otss::internal::cuda
