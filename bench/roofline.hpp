// The roofline of this machine for one thread: bandwidth, arithmetic and exp throughput, measured.
#pragma once

#include <algorithm>

namespace otss::bench {

double read_bytes_per_second();    // from memory, a buffer far larger than the caches
double fma_flops_per_second();     // f32, registers only
double exp_seconds_per_element();  // the exp of our kernel, f32, data in the first-level cache

struct Roofline {
  double bytes_per_second = 0;
  double flops_per_second = 0;
  double seconds_per_exp = 1;

  // Measures again and keeps the best values. On a shared machine the speed varies; the times that
  // are compared with the bound are best values too.
  void measure() {
    bytes_per_second = std::max(bytes_per_second, read_bytes_per_second());
    flops_per_second = std::max(flops_per_second, fma_flops_per_second());
    seconds_per_exp = std::min(seconds_per_exp, exp_seconds_per_element());
  }
};

}  // namespace otss::bench
