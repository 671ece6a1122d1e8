// Random numbers that are the same on every machine and for every standard library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace otss {

// xoshiro256++ (Blackman & Vigna 2021), seeded through splitmix64. Each (seed, stream) pair gives
// an independent sequence. Every restart, chain or fold uses its own stream, so its numbers do not
// depend on the order of execution.
class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t bits();
  double uniform();                      // [0, 1), 53 bits
  double uniform(double lo, double hi);  // [lo, hi)
  double normal();
  double gamma(double shape);            // unit scale, shape > 0 (Marsaglia & Tsang 2000)
  std::size_t below(std::size_t bound);  // 0 … bound-1, without bias

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::array<std::uint64_t, 4> state_;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace otss
