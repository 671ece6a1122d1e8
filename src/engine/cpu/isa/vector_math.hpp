// Defines vector types as wide as the registers of the instruction set, and exp and log for these
// types.
//
// Everything is in an anonymous namespace although this is a header, because each object file is
// compiled for one instruction set and must keep its own copy of these functions. Otherwise the
// linker could keep only the AVX-512 copy, which fails on a processor without AVX-512.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#define OTSS_INLINE [[gnu::always_inline]] inline

namespace otss::internal {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kVectorBytes = 64;
constexpr int kVectorRegisters = 32;
#elif defined(__AVX__)
constexpr std::size_t kVectorBytes = 32;
constexpr int kVectorRegisters = 16;
#else
constexpr std::size_t kVectorBytes = 16;
constexpr int kVectorRegisters = 16;
#endif

template <class Real>
constexpr std::size_t kLanes = kVectorBytes / sizeof(Real);

// Constants of exp and log for one type. kExp has the coefficients, lowest degree first, of the
// polynomial P in the approximation
//
//   exp(r) ≈ 1 + r + r² P(r)   for |r| <= ln2/2
//
// P minimises the largest relative error, which is 3e-9 for f32 and 4e-18 for f64.
template <class Real>
struct Traits;

template <>
struct Traits<float> {
  typedef float Vector __attribute__((vector_size(kVectorBytes)));
  typedef std::int32_t Bits __attribute__((vector_size(kVectorBytes)));

  static constexpr int kMantissaBits = 23;
  static constexpr float kRounder =
      12582912.0F;  // 1.5 * 2^23: x + kRounder is rounded to a whole number
  static constexpr float kLowestExponent = -87.0F;
  static constexpr float kLn2High = 0.693359375F;
  static constexpr float kLn2Low = -2.12194440e-4F;
  static constexpr float kExp[] = {0.4999999345F, 0.1666652063F, 0.04166838694F, 0.008368716787F,
                                   0.001381467528F};
  static constexpr int kLogTerms = 4;
};

template <>
struct Traits<double> {
  typedef double Vector __attribute__((vector_size(kVectorBytes)));
  typedef std::int64_t Bits __attribute__((vector_size(kVectorBytes)));

  static constexpr int kMantissaBits = 52;
  static constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double kLowestExponent = -708.0;
  static constexpr double kLn2High = 6.93145751953125e-1;
  static constexpr double kLn2Low = 1.42860682030941723212e-6;
  static constexpr double kExp[] = {0.500000000000001058,     0.166666666666664247,
                                    0.0416666666665303048,    0.00833333333348610595,
                                    0.00138888889436097454,   0.000198412695251294201,
                                    0.0000248014931177346758, 2.75575697392446367e-6,
                                    2.76302404299974983e-7,   2.50052886979519948e-8};
  static constexpr int kLogTerms = 10;
};

template <class Real>
using Vector = typename Traits<Real>::Vector;
template <class Real>
using Bits = typename Traits<Real>::Bits;

template <class Real>
OTSS_INLINE Vector<Real> broadcast(Real value) {
  return value - Vector<Real>{};
}

// Returns the vector at an aligned address.
template <class Real>
OTSS_INLINE Vector<Real>& at(Real* address) {
  return *reinterpret_cast<Vector<Real>*>(address);
}

template <class Real>
OTSS_INLINE const Vector<Real>& at(const Real* address) {
  return *reinterpret_cast<const Vector<Real>*>(address);
}

// Loads f32 values and converts them to Real. The intrinsics are needed: GCC 12 compiles
// __builtin_convertvector to two narrow conversions and an insertion, which makes the f64 kernel a
// third slower.
template <class Real>
Vector<Real> load(const float* from);

template <>
OTSS_INLINE Vector<float> load<float>(const float* from) {
  return *reinterpret_cast<const Vector<float>*>(from);
}

template <>
OTSS_INLINE Vector<double> load<double>(const float* from) {
#if defined(__AVX512F__)
  // Without the mask, the intrinsic causes a false compiler warning.
  return _mm512_maskz_cvtps_pd(0xFF, _mm256_load_ps(from));
#elif defined(__AVX__)
  return _mm256_cvtps_pd(_mm_load_ps(from));
#else
  return _mm_cvtps_pd(_mm_loadl_pi(_mm_setzero_ps(), reinterpret_cast<const __m64*>(from)));
#endif
}

OTSS_INLINE double sum_of_lanes(Vector<double> x) {
#if defined(__AVX512F__)
  const auto half =
      __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
  return (half[0] + half[2]) + (half[1] + half[3]);
#elif defined(__AVX__)
  return (x[0] + x[2]) + (x[1] + x[3]);
#else
  return x[0] + x[1];
#endif
}

template <class Real>
OTSS_INLINE Bits<Real> bits_of(Vector<Real> x) {
  return reinterpret_cast<Bits<Real>>(x);
}

template <class Real>
OTSS_INLINE Vector<Real> from_bits(Bits<Real> bits) {
  return reinterpret_cast<Vector<Real>>(bits);
}

template <class Real>
OTSS_INLINE Bits<Real> sign_bit() {
  return bits_of<Real>(broadcast<Real>(-Real(0)));
}

template <class Real>
OTSS_INLINE Vector<Real> absolute(Vector<Real> x) {
  return from_bits<Real>(bits_of<Real>(x) & ~sign_bit<Real>());
}

// Returns x where `sign` is positive, and -x where `sign` is negative.
template <class Real>
OTSS_INLINE Vector<Real> with_sign_of(Vector<Real> x, Vector<Real> sign) {
  return from_bits<Real>(bits_of<Real>(x) ^ (bits_of<Real>(sign) & sign_bit<Real>()));
}

// Returns x in a register; the compiler can make no assumption about the value or the origin of x.
template <class Real>
OTSS_INLINE Vector<Real> opaque(Vector<Real> x) {
  asm("" : "+v"(x));
  return x;
}

// Returns max(x, bound), or NaN if x is NaN. The bound is passed through opaque(), because GCC 12
// compiles a constant bound to a comparison and a blend instead of one max instruction.
template <class Real>
OTSS_INLINE Vector<Real> at_least(Real bound, Vector<Real> x) {
  const Vector<Real> lowest = opaque<Real>(broadcast(bound));
  return x < lowest ? lowest : x;
}

// Returns exp(x) for x <= 0, with an error of at most 2 ulp, and NaN if x is NaN. Results that
// would be denormal are replaced by about the smallest normal number, which is negligible in any
// sum.
//
//   exp(x) = 2^n exp(r),   n = round(x / ln2),   r = x - n ln2
//
// Adding kRounder rounds x / ln2 to n and leaves n in the low bits; a shift then moves n into the
// exponent. ln2 is split into two parts so that n times the first part is exact.
template <class Real>
OTSS_INLINE Vector<Real> exp_of_nonpositive(Vector<Real> x) {
  using T = Traits<Real>;
  constexpr Real kLog2E = 1.4426950408889634;
  constexpr int kDegree = sizeof(T::kExp) / sizeof(Real) - 1;

  x = at_least(T::kLowestExponent, x);
  const Vector<Real> rounded = x * kLog2E + T::kRounder;
  const Vector<Real> n = rounded - T::kRounder;
  const Vector<Real> r = x - n * T::kLn2High - n * T::kLn2Low;
  Vector<Real> p = broadcast(T::kExp[kDegree]);
#pragma GCC unroll 16
  for (int i = kDegree - 1; i >= 0; --i) p = p * r + T::kExp[i];
  p = p * r + Real(1);
  p = p * r + Real(1);
  return from_bits<Real>(bits_of<Real>(p) + (bits_of<Real>(rounded) << T::kMantissaBits));
}

// Returns log(x) for finite x >= 1:
//
//   log x = e ln2 + log m,               x = 2^e m,  m in [√½, √2)
//   log m = 2 (s + s³/3 + s⁵/5 + …),     s = (m-1)/(m+1)
template <class Real>
OTSS_INLINE Vector<Real> log_of_at_least_one(Vector<Real> x) {
  using T = Traits<Real>;
  constexpr Real kSqrtHalf = 0.70710678118654752;
  const Bits<Real> bits = bits_of<Real>(x);
  const Bits<Real> e = (bits - bits_of<Real>(broadcast(kSqrtHalf))) >> T::kMantissaBits;
  const Vector<Real> m = from_bits<Real>(bits - (e << T::kMantissaBits));
  const Vector<Real> s = (m - Real(1)) / (m + Real(1));
  const Vector<Real> s2 = s * s;
  Vector<Real> series = broadcast(Real(1) / (2 * T::kLogTerms + 1));
#pragma GCC unroll 16
  for (int i = T::kLogTerms - 1; i > 0; --i) series = series * s2 + Real(1) / (2 * i + 1);
  const Vector<Real> n = from_bits<Real>(bits_of<Real>(broadcast(T::kRounder)) + e) - T::kRounder;
  return n * T::kLn2High + (Real(2) * s + (Real(2) * s * s2 * series + n * T::kLn2Low));
}

}  // namespace
}  // namespace otss::internal
