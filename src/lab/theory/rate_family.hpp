// Defines the one-dimensional family on which rates are measured. This family is the simplest world
// in which the experts overlap, so that every constant of the theory can be computed
// (rate_constants.hpp). σ is the logistic function:
//
//   x ~ U[0, 1],   w*(x) = α*(x) β_1 + (1 - α*(x)) β_2,   α*(x) = 0.1 + 0.8 x
//   z ~ U[-1, 1]^4,   P(y = 1) = σ(w*(x)'z)
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace otss::internal {

inline constexpr int kRateFactors = 4;
using RateWeights = std::array<double, kRateFactors>;

inline constexpr RateWeights kRateExpert1 = {1.4, -0.4, 0.45, -0.5};
inline constexpr RateWeights kRateExpert2 = {-0.4, 1.4, -0.45, -0.5};
inline constexpr double kRateShareAtZero = 0.1;
inline constexpr double kRateShareSlope = 0.8;

inline double rate_share(double x) { return kRateShareAtZero + kRateShareSlope * x; }

inline RateWeights rate_weights(double x) {
  RateWeights w;
  for (int j = 0; j < kRateFactors; ++j)
    w[j] = rate_share(x) * kRateExpert1[j] + (1 - rate_share(x)) * kRateExpert2[j];
  return w;
}

// Returns max(2, round(0.8 n^(1/3))), the number of equal bins that the hard methods use for n
// rows.
inline int rate_regions(std::size_t n) {
  return std::max(2, static_cast<int>(std::lround(0.8 * std::cbrt(static_cast<double>(n)))));
}

struct RateLog {
  std::vector<double> contexts;
  std::vector<double> factors;  // rows × kRateFactors
  std::vector<float> outcomes;

  std::size_t num_rows() const { return contexts.size(); }
};

// Draws a log of 2^log2_n rows. Logs of different sizes are independent, and so are the errors of
// fits to these logs.
RateLog draw_rate_log(std::uint64_t seed, int log2_n);

}  // namespace otss::internal
