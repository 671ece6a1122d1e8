#include "base/random.hpp"

#include <bit>
#include <cmath>

namespace otss::internal {
namespace {

std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t mix = seed;
  mix = splitmix(mix) ^ (stream * 0xD1342543DE82EF95ULL);
  for (auto& word : state_) word = splitmix(mix);
}

std::uint64_t Rng::bits() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Rng::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double Rng::uniform(double lo, double hi) { return lo + (hi - lo) * uniform(); }

double Rng::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  // This is Marsaglia's polar method. The only library functions that it calls are std::sqrt and
  // std::log. std::normal_distribution would give other numbers with another standard library.
  double u = 0;
  double v = 0;
  double s = 0;
  do {
    u = uniform(-1, 1);
    v = uniform(-1, 1);
    s = u * u + v * v;
  } while (s >= 1 || s == 0);
  const double scale = std::sqrt(-2 * std::log(s) / s);
  spare_normal_ = v * scale;
  has_spare_ = true;
  return u * scale;
}

double Rng::gamma(double shape) {
  if (shape < 1) return gamma(shape + 1) * std::pow(1 - uniform(), 1 / shape);
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal();
    const double t = 1 + c * x;
    if (t <= 0) continue;
    const double v = t * t * t;
    if (std::log(1 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

std::size_t Rng::below(std::size_t bound) {
  const std::uint64_t limit = bound * (UINT64_MAX / bound);
  std::uint64_t draw = bits();
  while (draw >= limit) draw = bits();
  return draw % bound;
}

}  // namespace otss::internal
