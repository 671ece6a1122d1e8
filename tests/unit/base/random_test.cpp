#include "base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace otss {
namespace {

using namespace internal;

constexpr int kDraws = 200'000;

struct Moments {
  double mean = 0;
  double variance = 0;
};

template <class Draw>
Moments moments_of(const Draw& draw) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = draw();
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean};
}

// Five standard errors of a mean of kDraws values with this standard deviation.
double tolerance(double standard_deviation) {
  return 5 * standard_deviation / std::sqrt(static_cast<double>(kDraws));
}

TEST(Rng, GivesTheBitsOfItsDefinition) {
  // From an independent implementation of splitmix64 and xoshiro256++ (in Python).
  Rng first(1);
  EXPECT_EQ(first.bits(), 0x704560ced7cc0501ULL);
  EXPECT_EQ(first.bits(), 0x4eef90036c89c53aULL);
  EXPECT_EQ(first.bits(), 0xdce05af2ba1364d7ULL);
  Rng other_stream(1, 1);
  EXPECT_EQ(other_stream.bits(), 0xd33cac18ac5184afULL);
  EXPECT_EQ(other_stream.bits(), 0xda0fb9f6b5dac101ULL);
  EXPECT_EQ(other_stream.bits(), 0x12c315b4c0a2cf07ULL);
  Rng other_seed(42, 7);
  EXPECT_EQ(other_seed.bits(), 0xf1e8e70c151bddd1ULL);
  EXPECT_EQ(other_seed.bits(), 0x9f4158c275c54ccbULL);
  EXPECT_EQ(other_seed.bits(), 0x89d8f36093faf792ULL);
}

TEST(Rng, RepeatsItselfForTheSameSeedAndStream) {
  Rng a(3, 4);
  Rng b(3, 4);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(a.normal(), b.normal());
    EXPECT_EQ(a.gamma(0.7), b.gamma(0.7));
    EXPECT_EQ(a.below(17), b.below(17));
  }
}

TEST(Rng, HasStreamsThatShareNothing) {
  std::set<std::uint64_t> seen;
  constexpr int kStreams = 50;
  constexpr int kEach = 200;
  for (int stream = 0; stream < kStreams; ++stream) {
    Rng rng(1, stream);
    for (int i = 0; i < kEach; ++i) seen.insert(rng.bits());
  }
  EXPECT_EQ(seen.size(), kStreams * kEach);
}

TEST(Rng, HasUncorrelatedNeighbouringStreamsAndSeeds) {
  for (const auto& [seed, stream] : {std::pair{1, 1}, {1, 2}, {2, 0}, {3, 0}}) {
    Rng a(1, 0);
    Rng b(seed, stream);
    const Moments product = moments_of([&] { return (a.uniform() - 0.5) * (b.uniform() - 0.5); });
    EXPECT_NEAR(product.mean, 0, tolerance(1.0 / 12)) << seed << ' ' << stream;
  }
}

TEST(Rng, DrawsUniformsFromZeroToBelowOne) {
  Rng rng(5);
  double least = 1;
  double most = 0;
  const Moments m = moments_of([&] {
    const double u = rng.uniform();
    least = std::min(least, u);
    most = std::max(most, u);
    return u;
  });
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 1e-4);
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 1 - 1e-4);
  EXPECT_NEAR(m.mean, 0.5, tolerance(std::sqrt(1.0 / 12)));
  EXPECT_NEAR(m.variance, 1.0 / 12, tolerance(std::sqrt(1.0 / 180)));
}

TEST(Rng, DrawsUniformsBetweenTwoNumbers) {
  Rng rng(6);
  for (int i = 0; i < 10'000; ++i) {
    const double u = rng.uniform(-3, 2);
    EXPECT_GE(u, -3);
    EXPECT_LT(u, 2);
  }
  EXPECT_EQ(rng.uniform(4, 4), 4);
}

TEST(Rng, DrawsStandardNormals) {
  Rng rng(7);
  std::vector<double> draws(kDraws);
  for (double& draw : draws) draw = rng.normal();
  std::size_t i = 0;
  const Moments m = moments_of([&] { return draws[i++]; });
  EXPECT_NEAR(m.mean, 0, tolerance(1));
  EXPECT_NEAR(m.variance, 1, tolerance(std::sqrt(2)));
  const auto beyond = [&](double bound) {
    return static_cast<double>(
               std::ranges::count_if(draws, [&](double d) { return std::abs(d) > bound; })) /
           kDraws;
  };
  EXPECT_NEAR(beyond(1), 0.317311, tolerance(0.466));
  EXPECT_NEAR(beyond(3), 0.002700, tolerance(0.052));
  // The polar method makes two at a time: they must not depend on each other.
  i = 0;
  const Moments pairs = moments_of([&] {
    const std::size_t first = i++;
    return draws[first] * draws[i % kDraws];
  });
  EXPECT_NEAR(pairs.mean, 0, tolerance(1));
}

TEST(Rng, DrawsGammasWhoseMeanAndVarianceAreTheShape) {
  for (const double shape : {0.3, 1.0, 4.5}) {
    Rng rng(8);
    const Moments m = moments_of([&] { return rng.gamma(shape); });
    // The fourth central moment of a gamma variable is 3 shape² + 6 shape.
    EXPECT_NEAR(m.mean, shape, tolerance(std::sqrt(shape))) << shape;
    EXPECT_NEAR(m.variance, shape, tolerance(std::sqrt(2 * shape * shape + 6 * shape))) << shape;
  }
}

TEST(Rng, DrawsEachIndexBelowABoundAsOften) {
  Rng rng(9);
  constexpr std::size_t kBound = 7;
  std::vector<int> counts(kBound, 0);
  for (int i = 0; i < kDraws; ++i) ++counts.at(rng.below(kBound));
  const double share = 1.0 / kBound;
  for (const int count : counts)
    EXPECT_NEAR(static_cast<double>(count) / kDraws, share,
                tolerance(std::sqrt(share * (1 - share))));
  EXPECT_EQ(rng.below(1), 0);
}

TEST(Rng, ShufflesIntoEveryOrderAsOften) {
  Rng rng(10);
  std::map<std::vector<int>, int> orders;
  constexpr int kShuffles = 60'000;
  for (int i = 0; i < kShuffles; ++i) {
    std::vector<int> items{1, 2, 3};
    rng.shuffle(std::span(items));
    ++orders[items];
  }
  ASSERT_EQ(orders.size(), 6);
  for (const auto& [order, count] : orders)
    EXPECT_NEAR(count, kShuffles / 6.0, 5 * std::sqrt(kShuffles * 5 / 36.0));
}

TEST(Rng, ShufflesOnlyTheOrder) {
  Rng rng(11);
  std::vector<int> items(1000);
  std::iota(items.begin(), items.end(), 0);
  const std::vector<int> before = items;
  rng.shuffle(std::span(items));
  EXPECT_NE(items, before);
  std::ranges::sort(items);
  EXPECT_EQ(items, before);
}

}  // namespace
}  // namespace otss
