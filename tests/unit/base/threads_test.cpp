#include "base/threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace otss {
namespace {

using namespace internal;

// How often each index was visited.
std::vector<int> visits(std::size_t count, int num_threads) {
  std::vector<std::atomic<int>> counters(count);
  parallel_for(count, num_threads, [&](std::size_t i) { ++counters.at(i); });
  return {counters.begin(), counters.end()};
}

TEST(ParallelFor, VisitsEveryIndexOnceForAnyNumberOfThreads) {
  for (const int num_threads : {-1, 0, 1, 2, 3, 16}) {
    for (const std::size_t count : {0, 1, 2, 1000}) {
      EXPECT_THAT(visits(count, num_threads), testing::Each(1))
          << count << " indices on " << num_threads << " threads";
    }
  }
}

TEST(ParallelFor, CanGrowAndShrinkFromLoopToLoop) {
  for (int round = 0; round < 200; ++round)
    EXPECT_THAT(visits(20, 1 + round % 5), testing::Each(1)) << round;
}

TEST(ParallelFor, RunsOnTheCallersThreadAlone) {
  const auto caller = std::this_thread::get_id();
  parallel_for(50, 1, [&](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(ParallelFor, NeverRunsOnMoreThreadsThanAsked) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  parallel_for(500, 3, [&](std::size_t) {
    const int now = ++running;
    int seen = most.load();
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::yield();
    --running;
  });
  EXPECT_LE(most, 3);
}

std::string error_of(std::size_t count, int num_threads,
                     const std::function<void(std::size_t)>& body) {
  try {
    parallel_for(count, num_threads, body);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ParallelFor, RethrowsWhatABodyThrows) {
  for (const int num_threads : {1, 2, 7}) {
    EXPECT_EQ(error_of(100, num_threads,
                       [](std::size_t i) {
                         if (i == 40) throw std::runtime_error("index 40");
                       }),
              "index 40");
  }
}

TEST(ParallelFor, ReportsOneErrorWhereManyThrow) {
  EXPECT_EQ(error_of(1000, 4, [](std::size_t) { throw std::runtime_error("each"); }), "each");
}

TEST(ParallelFor, StartsNothingNewAfterAnError) {
  std::atomic<int> visited = 0;
  error_of(100'000, 2, [&](std::size_t) {
    ++visited;
    throw std::runtime_error("stop");
  });
  EXPECT_LE(visited, 2);
}

TEST(ParallelFor, IsUsableAfterAnError) {
  error_of(100, 3, [](std::size_t) { throw std::runtime_error("stop"); });
  EXPECT_THAT(visits(100, 3), testing::Each(1));
}

TEST(ParallelFor, RunsANestedLoopOnTheThreadOfItsBody) {
  constexpr std::size_t kOuter = 20;
  constexpr std::size_t kInner = 30;
  std::vector<std::atomic<int>> counters(kOuter * kInner);
  parallel_for(kOuter, 4, [&](std::size_t i) {
    const auto thread = std::this_thread::get_id();
    parallel_for(kInner, 4, [&](std::size_t j) {
      ++counters.at(i * kInner + j);
      EXPECT_EQ(std::this_thread::get_id(), thread);
    });
  });
  for (const auto& counter : counters) EXPECT_EQ(counter, 1);
}

TEST(ParallelFor, PassesOnTheErrorOfANestedLoop) {
  EXPECT_EQ(error_of(10, 3,
                     [](std::size_t) {
                       parallel_for(10, 3, [](std::size_t j) {
                         if (j == 5) throw std::runtime_error("inner");
                       });
                     }),
            "inner");
}

TEST(ParallelFor, ServesSeveralCallersAtATime) {
  constexpr int kCallers = 4;
  std::vector<std::vector<int>> seen(kCallers);
  std::vector<std::thread> callers;
  for (int c = 0; c < kCallers; ++c) callers.emplace_back([&seen, c] { seen[c] = visits(500, 3); });
  for (std::thread& caller : callers) caller.join();
  for (const std::vector<int>& counts : seen) EXPECT_THAT(counts, testing::Each(1));
}

// The smallest normal number is 2.2e-308.
double halved(double value) {
  volatile double half = 0.5;
  return value * half;
}
constexpr double kSmallNormal = 3e-308;

TEST(FlushDenormals, HoldsWhileItLivesAndInEveryLoop) {
  EXPECT_GT(halved(kSmallNormal), 0);
  {
    const FlushDenormals flush;
    EXPECT_EQ(halved(kSmallNormal), 0);
  }
  EXPECT_GT(halved(kSmallNormal), 0);
  for (const int num_threads : {1, 3}) {
    std::vector<double> results(30, 1.0);
    parallel_for(results.size(), num_threads,
                 [&](std::size_t i) { results[i] = halved(kSmallNormal); });
    EXPECT_THAT(results, testing::Each(0.0));
    EXPECT_GT(halved(kSmallNormal), 0);
  }
}

TEST(HardwareThreads, AreAtLeastOne) { EXPECT_GE(hardware_threads(), 1); }

}  // namespace
}  // namespace otss
