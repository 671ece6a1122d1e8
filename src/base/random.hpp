// Rng generates random numbers that are the same on every machine and with every standard library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace otss::internal {

// The generator is xoshiro256++ (Blackman & Vigna 2021), seeded by splitmix64. Each pair of a seed
// and a stream number gives an independent sequence. Every restart, chain or fold uses a stream of
// its own. So the random numbers of a fold, for example, do not depend on the order in which folds
// run.
class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t bits();
  double uniform();                      // uniform on [0, 1), with 53 random bits
  double uniform(double lo, double hi);  // uniform on [lo, hi)
  double normal();
  double gamma(double shape);  // gamma with scale 1 and shape > 0 (Marsaglia & Tsang 2000)
  std::size_t below(std::size_t bound);  // one of 0 … bound-1, each with the same probability

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::array<std::uint64_t, 4> state_;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace otss::internal
