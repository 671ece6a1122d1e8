#include "model/maps/network.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace otss::internal {

bool Network::has_matching_sizes() const {
  const std::size_t hidden = hidden_intercepts.size();
  return num_inputs >= 0 && num_outputs >= 1 && hidden_slopes.size() == hidden * num_inputs &&
         output_slopes.size() == hidden * num_outputs &&
         output_intercepts.size() == static_cast<std::size_t>(num_outputs);
}

void Network::evaluate(std::span<const double> x, std::span<double> out) const {
  assert(static_cast<int>(x.size()) == num_inputs && static_cast<int>(out.size()) == num_outputs);
  std::copy(output_intercepts.begin(), output_intercepts.end(), out.begin());
  const std::size_t hidden = hidden_intercepts.size();
  for (std::size_t h = 0; h < hidden; ++h) {
    double sum = hidden_intercepts[h];
    for (std::size_t j = 0; j < x.size(); ++j) sum += hidden_slopes[h * x.size() + j] * x[j];
    const double active = std::tanh(sum);
    for (std::size_t o = 0; o < out.size(); ++o) out[o] += output_slopes[o * hidden + h] * active;
  }
}

}  // namespace otss::internal
