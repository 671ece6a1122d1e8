// Defines the one-dimensional family on which rates are measured. This family is the simplest world
// in which the experts overlap, so that every constant of the theory can be computed
// (rate_constants.hpp). σ is the logistic function:
//
//   x ~ U[0, 1],   w*(x) = α*(x) β_1 + (1 - α*(x)) β_2,   α*(x) = 0.1 + 0.8 s(x)
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

// The form of s(x) in the share α*(x).
enum class RateShare {
  kStraight,  // s(x) = x
  kCurved     // s(x) = 3x² - 2x³, which is flat at 0 and 1 and steep between them
};

inline double rate_share(double x, RateShare form = RateShare::kStraight) {
  const double s = form == RateShare::kStraight ? x : x * x * (3 - 2 * x);
  return kRateShareAtZero + kRateShareSlope * s;
}

// Returns the integral of the square of the derivative of α*(x).
inline double squared_rate_slope(RateShare form) {
  return kRateShareSlope * kRateShareSlope * (form == RateShare::kStraight ? 1 : 1.2);
}

inline RateWeights mixed_weights(double share, const RateWeights& first,
                                 const RateWeights& second) {
  RateWeights w;
  for (int j = 0; j < kRateFactors; ++j) w[j] = share * first[j] + (1 - share) * second[j];
  return w;
}

inline RateWeights rate_weights(double x, RateShare form = RateShare::kStraight) {
  return mixed_weights(rate_share(x, form), kRateExpert1, kRateExpert2);
}

inline constexpr double kRateRegionWidth = 0.8;

// Returns max(2, round(0.8 n^(1/3))), the number of equal bins that the hard methods use for n
// rows.
inline int rate_regions(std::size_t n) {
  return std::max(
      2, static_cast<int>(std::lround(kRateRegionWidth * std::cbrt(static_cast<double>(n)))));
}

struct RateLog {
  std::vector<double> contexts;
  std::vector<double> factors;  // rows × kRateFactors
  std::vector<float> outcomes;

  std::size_t num_rows() const { return contexts.size(); }
};

// Draws a log of 2^log2_n rows. Logs of different sizes are independent, and so are the errors of
// fits to these logs.
RateLog draw_rate_log(std::uint64_t seed, int log2_n, RateShare form = RateShare::kStraight);

}  // namespace otss::internal
