// Random numbers that are the same on every machine and for every standard library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace otss {

// xoshiro256++ (Blackman & Vigna 2021), seeded through splitmix64. A (seed, stream) pair names an
// independent sequence: each restart, chain or fold takes a stream of its own, so that the order of
// work does not matter.
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
