// This header computes e^x in f64 for x <= 0, one vector at a time. Only source files in an isa/
// folder may include this header.
#pragma once

#include "model/maps/isa/vector.hpp"

namespace otss::internal {
namespace {

// If x is below this limit, the result is exactly 0. If x is above the limit, then neither e^x nor
// e^x divided by the number of experts is denormal. So the result is the same in threads that
// replace denormal numbers by zero and in threads that keep them.
constexpr double kSmallestExponent = -700;

// Returns e^x, or 0 if x is NaN. With x = n ln2 + r and |r| <= ln2/2, the result is 2^n times the
// Taylor sum of e^r to degree 13. The remainder of this sum is below 5e-18, and the error of the
// result is at most 2 ulp. ln2 is the sum of two constants, high and low, taken from fdlibm. These
// constants are chosen so that n * high is exact.
inline Vector exp_of_nonpositive(Vector x) {
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  // Adding kRound to a number rounds the number to a whole number n. The low bits of the sum are
  // then n.
  constexpr double kRound = 0x1.8p+52;
  const Vector shifted = x * kLog2E + kRound;
  const Vector n = shifted - kRound;
  const Vector r = (x - n * kLn2High) - n * kLn2Low;

  // e^r = 1 + r + r² (even(r²) + r odd(r²)), where even and odd are polynomials. Computing two
  // independent sums takes about half the time of one sum of all terms.
  const Vector square = r * r;
  Vector even = broadcast(1.0 / 479001600);
  for (const double coefficient : {1.0 / 3628800, 1.0 / 40320, 1.0 / 720, 1.0 / 24, 1.0 / 2}) {
    even = even * square + coefficient;
  }
  Vector odd = broadcast(1.0 / 6227020800);
  for (const double coefficient : {1.0 / 39916800, 1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6}) {
    odd = odd * square + coefficient;
  }
  const Vector tail = odd * r + even;
  const Vector sum = 1.0 + (square * tail + r);

  const Words scaled = reinterpret_cast<Words>(sum) + (reinterpret_cast<Words>(shifted) << 52);
  return x >= kSmallestExponent ? reinterpret_cast<Vector>(scaled) : Vector{};
}

// Returns e^x, or e^700 if x is larger than 700. The formula above also holds for positive x, as
// long as e^x does not overflow.
inline Vector exp_up_to_700(Vector x) {
  return exp_of_nonpositive(smaller(x, broadcast(-kSmallestExponent)));
}

}  // namespace
}  // namespace otss::internal
