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

// Returns e^x, or 0 if x is NaN. With x = n ln2 + r and |r| <= ln2/2, the result is 2^n times
// 1 + r + r² P(r), where P is the polynomial of degree 9 whose largest relative error is least. This
// error is 4e-18, and the error of the result is at most 2 ulp. ln2 is the sum of two constants, high
// and low, taken from fdlibm. These constants are chosen so that n * high is exact.
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

  // P(r) = even(r²) + r odd(r²), where even and odd are polynomials. Computing two independent sums
  // takes about half the time of one sum of all terms.
  const Vector square = r * r;
  Vector even = broadcast(2.76302404299974983e-7);
  for (const double coefficient : {0.0000248014931177346758, 0.00138888889436097454,
                                   0.0416666666665303048, 0.500000000000001058}) {
    even = even * square + coefficient;
  }
  Vector odd = broadcast(2.50052886979519948e-8);
  for (const double coefficient : {2.75575697392446367e-6, 0.000198412695251294201,
                                   0.00833333333348610595, 0.166666666666664247}) {
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
