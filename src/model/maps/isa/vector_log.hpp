// This header computes log(x) in f64, one vector at a time. Only source files in an isa/ folder may
// include this header.
#pragma once

#include "model/maps/isa/vector.hpp"

namespace otss::internal {
namespace {

// Returns log(x). The number x must be positive, finite and not denormal. With x = 2^n m and m
// between sqrt(1/2) and sqrt(2), the result is n ln2 + log(m). With f = (m - 1) / (m + 1), which is
// at most 0.172, log(m) is 2 (f + f³/3 + f⁵/5 + ...). The remainder of the sum is below 1e-17.
inline Vector log_of_positive(Vector x) {
  constexpr double kLn2 = 6.93147180559945286227e-01;
  // The bits of sqrt(1/2). Subtracting them makes the exponent that of a number whose mantissa is
  // between sqrt(1/2) and sqrt(2).
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcdULL;
  constexpr std::uint64_t kExponentBits = 0xfff0000000000000ULL;
  // 1.5 × 2^52 plus a whole number of moderate size has this number in its low bits.
  constexpr double kShift = 0x1.8p+52;
  const Words bits = reinterpret_cast<Words>(x);
  const Words exponent = (bits - kRootHalf) & kExponentBits;
  const Vector m = reinterpret_cast<Vector>(bits - exponent);
  // The exponent is a signed number in the high 12 bits. It is moved to the low bits of kShift.
  const Words biased = (exponent >> 52) + 0x800;  // 12 bits, modulo 2^12
  const Words shift_bits = reinterpret_cast<Words>(broadcast(kShift));
  const Vector n = reinterpret_cast<Vector>(shift_bits + (biased & 0xfff)) - (kShift + 0x800);
  const Vector f = (m - 1) / (m + 1);
  const Vector square = f * f;
  Vector sum = broadcast(1.0 / 19);
  for (const double odd : {17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0})
    sum = sum * square + 1.0 / odd;
  return n * kLn2 + 2 * (f + f * square * sum);
}

}  // namespace
}  // namespace otss::internal
