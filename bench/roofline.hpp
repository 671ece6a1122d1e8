// What this machine can do with one thread, measured now: the terms of the roofline.
#pragma once

#include <algorithm>

namespace otss::bench {

double read_bytes_per_second();    // from memory, a buffer far larger than the caches
double fma_flops_per_second();     // f32, registers only
double exp_seconds_per_element();  // the kernel's own exp, f32, from the first-level cache

struct Roofline {
  double bytes_per_second = 0;
  double flops_per_second = 0;
  double seconds_per_exp = 1;

  // Keeps the best seen so far: a shared machine is fast only now and then, and the bound should be
  // that of its best moments, like the times it is compared with.
  void measure() {
    bytes_per_second = std::max(bytes_per_second, read_bytes_per_second());
    flops_per_second = std::max(flops_per_second, fma_flops_per_second());
    seconds_per_exp = std::min(seconds_per_exp, exp_seconds_per_element());
  }
};

}  // namespace otss::bench
