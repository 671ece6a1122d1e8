#include "model/maps/quadratic.hpp"

#include <algorithm>
#include <cassert>
#include <numbers>

namespace otss::internal {

std::size_t num_quadratic_columns(std::size_t num_contexts) {
  return num_contexts + num_contexts * (num_contexts + 1) / 2;
}

void quadratic_columns(std::span<const double> x, std::span<double> out) {
  assert(out.size() == num_quadratic_columns(x.size()));
  auto next = std::copy(x.begin(), x.end(), out.begin());
  for (std::size_t i = 0; i < x.size(); ++i) {
    *next++ = (x[i] * x[i] - 1) / std::numbers::sqrt2;
    for (std::size_t j = i + 1; j < x.size(); ++j) *next++ = x[i] * x[j];
  }
}

}  // namespace otss::internal
