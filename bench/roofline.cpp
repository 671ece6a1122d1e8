// Compiled with the instructions of this machine (bench/CMakeLists.txt), unlike the library.
#include "roofline.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "engine/cpu/isa/vector_math.hpp"
#include "timing.hpp"

namespace otss::bench {

using namespace internal;

namespace {

using V = Vector<float>;

// Makes the compiler assume that the value is used and may have changed.
void use(V& value) { asm volatile("" : "+x"(value)); }

const V* make_buffer(std::size_t count) {
  const std::size_t bytes = count * sizeof(V);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, bytes, MADV_HUGEPAGE);
  auto* values = static_cast<V*>(memory);
  std::fill_n(values, count, V{} + 1.0F);
  return values;
}

}  // namespace

double read_bytes_per_second() {
  constexpr std::size_t kCount = (std::size_t{256} << 20) / sizeof(V);
  static const V* values = make_buffer(kCount);
  const double seconds = best_seconds([&] {
    V sums[8] = {};
    for (std::size_t i = 0; i < kCount; i += 8) {
#pragma GCC unroll 8
      for (int k = 0; k < 8; ++k) sums[k] += values[i + k];
    }
    for (V& sum : sums) use(sum);
  });
  return kCount * sizeof(V) / seconds;
}

double fma_flops_per_second() {
  // More independent chains than latency × units, so that the units are always busy.
  constexpr int kChains = 12, kSteps = 100'000;
  V sums[kChains] = {};
  V factor = V{} + 0.999F;
  V term = V{} + 0.001F;
  use(factor);
  use(term);
  const double seconds = best_seconds([&] {
    V local[kChains];
#pragma GCC unroll 16
    for (int k = 0; k < kChains; ++k) local[k] = sums[k];
    for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 16
      for (int k = 0; k < kChains; ++k) local[k] = local[k] * factor + term;
    }
#pragma GCC unroll 16
    for (int k = 0; k < kChains; ++k) use(sums[k] = local[k]);
  });
  return 2.0 * kChains * kLanes<float> * kSteps / seconds;
}

double exp_seconds_per_element() {
  constexpr std::size_t kVectors = 128, kSteps = 1000;
  static V values[kVectors];
  for (std::size_t i = 0; i < kVectors; ++i) values[i] = V{} - static_cast<float>(i) * 0.1F;
  const double seconds = best_seconds([&] {
    for (std::size_t step = 0; step < kSteps; ++step) {
      V sums[4] = {};
      for (std::size_t i = 0; i < kVectors; i += 4) {
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) sums[k] += exp_of_nonpositive<float>(values[i + k]);
      }
      for (V& sum : sums) use(sum);
    }
  });
  return seconds / (kSteps * kVectors * kLanes<float>);
}

}  // namespace otss::bench
