// A vector of doubles as wide as the instruction set this file is compiled for. Only for sources in
// an isa/ folder; everything is in the anonymous namespace so that no instance compiled for one set
// can be linked into another.
#pragma once

#include <cstddef>
#include <cstdint>

namespace otss {
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
inline void store_unaligned(Vector value, double* to) {
  *reinterpret_cast<UnalignedVector*>(to) = value;
}

// Written as a difference because x - 0 is x for every x and costs nothing; 0 + x is not for x =
// -0.
inline Vector broadcast(double value) { return value - Vector{}; }

// The order of the operands decides what becomes of NaN: comparisons with it are false, so the
// second one stays.
inline Vector larger(Vector a, Vector b) { return a > b ? a : b; }
inline Vector smaller(Vector a, Vector b) { return a < b ? a : b; }

}  // namespace
}  // namespace otss
