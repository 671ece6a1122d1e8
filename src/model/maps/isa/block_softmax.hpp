// The softmax over the experts of the gate scores in a block of rows. A block has the first score of
// all rows, then the second score, and so on. Only source files in an isa/ folder may include this
// header.
#pragma once

#include "model/maps/isa/vector_exp.hpp"

namespace otss::internal {
namespace {

// Replaces the gate scores of the experts by their shares. The last expert has the score 0, whatever
// its place in the block has.
template <std::size_t Rows>
inline void softmax(std::size_t num_experts, double* scores) {
  const std::size_t last = (num_experts - 1) * Rows;
  for (std::size_t i = 0; i < Rows; i += kLanes) {
    Vector largest{};
    for (std::size_t k = 0; k < last; k += Rows)
      largest = larger(load_unaligned(scores + k + i), largest);
    store_unaligned(Vector{}, scores + last + i);
    Vector total{};
    for (std::size_t k = 0; k <= last; k += Rows) {
      const Vector share = exp_of_nonpositive(load_unaligned(scores + k + i) - largest);
      total += share;
      store_unaligned(share, scores + k + i);
    }
    const Vector scale = 1.0 / total;
    for (std::size_t k = 0; k <= last; k += Rows)
      store_unaligned(load_unaligned(scores + k + i) * scale, scores + k + i);
  }
}

}  // namespace
}  // namespace otss::internal
