// A Vector holds several doubles. Its width depends on the instruction set for which a source file
// is compiled. Only source files in an isa/ folder may include this header. All code is in the
// anonymous namespace, so that the linker cannot mix code that was compiled for different
// instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace otss::internal {
namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 8;
#elif defined(__AVX2__)
constexpr int kLanes = 4;
#else
constexpr int kLanes = 2;
#endif

using Vector = double __attribute__((vector_size(kLanes * sizeof(double))));
using Words = std::uint64_t __attribute__((vector_size(kLanes * sizeof(double))));
using UnalignedVector = double
    __attribute__((vector_size(kLanes * sizeof(double)), aligned(alignof(double)), may_alias));

inline Vector load(const double* from) { return *reinterpret_cast<const Vector*>(from); }
inline void store(Vector value, double* to) { *reinterpret_cast<Vector*>(to) = value; }
inline Vector load_unaligned(const double* from) {
  return *reinterpret_cast<const UnalignedVector*>(from);
}
inline void store_unaligned(Vector value, double* to) {
  *reinterpret_cast<UnalignedVector*>(to) = value;
}

// Returns f32 values as f64.
inline Vector widened(const float* from) {
  Vector result{};
  for (int lane = 0; lane < kLanes; ++lane) result[lane] = from[lane];
  return result;
}

inline double sum_of_lanes(Vector lanes) {
  double sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += lanes[lane];
  return sum;
}

// Returns a vector that has `value` in every lane. The code subtracts 0 instead of adding 0. The
// compiler can remove the subtraction, because x - 0 equals x for every x. The compiler could not
// remove an addition, because 0 + x differs from x if x is -0.
inline Vector broadcast(double value) { return value - Vector{}; }

// A comparison with NaN is false. So if a or b is NaN, these functions return b.
inline Vector larger(Vector a, Vector b) { return a > b ? a : b; }
inline Vector smaller(Vector a, Vector b) { return a < b ? a : b; }

}  // namespace
}  // namespace otss::internal
