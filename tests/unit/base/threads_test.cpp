#include "base/threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/interrupt.hpp"
#include "otss/base/tasks.hpp"

namespace otss {
namespace {

using namespace internal;

// How often each index was visited.
std::vector<int> visits(std::size_t count, int num_threads) {
  std::vector<std::atomic<int>> counters(count);
  parallel_for(count, num_threads, [&](std::size_t i) { ++counters.at(i); });
  return {counters.begin(), counters.end()};
}

// Counts how many threads visit at the same time.
class Visits {
 public:
  void visit() {
    const int now = ++running_;
    int seen = most_.load();
    while (seen < now && !most_.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::yield();
    --running_;
  }
  int most() const { return most_; }

 private:
  std::atomic<int> running_ = 0;
  std::atomic<int> most_ = 0;
};

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
  Visits counted;
  parallel_for(500, 3, [&](std::size_t) { counted.visit(); });
  EXPECT_LE(counted.most(), 3);
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

TEST(ParallelFor, VisitsEveryIndexOfNestedLoopsOnce) {
  constexpr std::size_t kOuter = 7, kMiddle = 5, kInner = 30;
  for (const int num_threads : {1, 2, 7, 16}) {
    std::vector<std::atomic<int>> counters(kOuter * kMiddle * kInner);
    parallel_for(kOuter, num_threads, [&](std::size_t i) {
      parallel_for(kMiddle, num_threads, [&](std::size_t j) {
        parallel_for(kInner, num_threads,
                     [&](std::size_t k) { ++counters.at((i * kMiddle + j) * kInner + k); });
      });
    });
    for (const auto& counter : counters) EXPECT_EQ(counter, 1) << num_threads;
  }
}

// The first body of the outer loop runs an inner loop whose two bodies wait for each other. They
// can only end if two threads run them.
TEST(ParallelFor, GivesNestedLoopsTheThreadsThatAreFree) {
  parallel_for(2, 2, [](std::size_t outer) {
    if (outer == 1) return;
    std::atomic<int> arrived = 0;
    parallel_for(2, 2, [&](std::size_t) {
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
    });
  });
}

TEST(ParallelFor, NeverRunsNestedLoopsOnMoreThreadsThanTheOutermostMay) {
  Visits counted;
  parallel_for(10, 3,
               [&](std::size_t) { parallel_for(50, 16, [&](std::size_t) { counted.visit(); }); });
  EXPECT_LE(counted.most(), 3);
}

// While a thread waits for its inner loop, it must not start another body of the outer loop:
// memory that belongs to the thread would then change during the wait.
TEST(ParallelFor, StartsNoBodyOfTheOuterLoopWhileItWaitsForAnInnerOne) {
  thread_local int bodies_of_this_thread = 0;
  parallel_for(200, 4, [&](std::size_t) {
    EXPECT_EQ(bodies_of_this_thread, 0);
    ++bodies_of_this_thread;
    parallel_for(8, 4, [](std::size_t) { std::this_thread::yield(); });
    --bodies_of_this_thread;
  });
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

TEST(ParallelFor, RethrowsTheErrorThatOneThreadWouldThrow) {
  for (int round = 0; round < 50; ++round) {
    EXPECT_EQ(error_of(64, 4,
                       [](std::size_t i) {
                         if (i == 5) std::this_thread::yield();
                         if (i >= 5) throw std::runtime_error("index " + std::to_string(i));
                       }),
              "index 5");
  }
}

// The second body would run for ever, if the error of the first did not cancel it.
TEST(ParallelFor, CancelsBodiesThatRunWhenALowerOneThrows) {
  std::atomic<bool> second_runs = false;
  EXPECT_EQ(error_of(2, 2,
                     [&](std::size_t i) {
                       if (i == 0) {
                         while (!second_runs) std::this_thread::yield();
                         throw std::runtime_error("first");
                       }
                       second_runs = true;
                       while (true) parallel_for(3, 2, [](std::size_t) { check_interrupt(); });
                     }),
            "first");
}

TEST(ParallelFor, CountsItsBodies) {
  const std::size_t before = num_tasks_done();
  parallel_for(10, 3, [](std::size_t) { parallel_for(5, 2, [](std::size_t) {}); });
  parallel_for(4, 1, [](std::size_t) {});
  EXPECT_EQ(num_tasks_done() - before, 10 + 10 * 5 + 4);
}

TEST(ParallelFind, ReturnsTheLowestIndexForWhichTheBodyReturnsTrue) {
  for (const int num_threads : {1, 2, 7}) {
    for (int round = 0; round < 20; ++round)
      EXPECT_EQ(parallel_find(64, num_threads, [](std::size_t i) { return i >= 9; }), 9U);
    EXPECT_EQ(parallel_find(64, num_threads, [](std::size_t) { return false; }), 64U);
  }
}

TEST(ParallelFind, CallsNoFurtherBodyOnOneThread) {
  std::size_t calls = 0;
  parallel_find(64, 1, [&](std::size_t i) {
    ++calls;
    return i == 2;
  });
  EXPECT_EQ(calls, 3U);
}

// The second body would run for ever, if the first did not cancel it.
TEST(ParallelFind, CancelsBodiesThatAreNotNeeded) {
  std::atomic<bool> second_runs = false;
  const std::size_t found = parallel_find(2, 2, [&](std::size_t i) {
    if (i == 0) {
      while (!second_runs) std::this_thread::yield();
      return true;
    }
    second_runs = true;
    while (true) check_interrupt();
  });
  EXPECT_EQ(found, 0U);
}

TEST(ThreadsOfThisLoop, AreThoseOfTheOutermostLoop) {
  EXPECT_EQ(threads_of_this_loop(), 1);
  parallel_for(5, 3, [](std::size_t) {
    EXPECT_EQ(threads_of_this_loop(), 3);
    parallel_for(5, 2, [](std::size_t) { EXPECT_EQ(threads_of_this_loop(), 3); });
  });
  parallel_for(5, 1, [](std::size_t) { EXPECT_EQ(threads_of_this_loop(), 1); });
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

TEST(RunTasks, RunsEachTaskOnceAndRethrowsTheFirstError) {
  for (const int num_threads : {1, 3}) {
    int first = 0;
    int second = 0;
    run_tasks({[&] { ++first; }, [&] { ++second; }}, num_threads);
    EXPECT_EQ(first + second, 2);
    const auto fail = [](const char* what) { return [what] { throw std::runtime_error(what); }; };
    EXPECT_THROW(run_tasks({fail("one"), fail("two")}, num_threads), std::runtime_error);
  }
}

TEST(RunTasks, KeepsDenormalsAsTheCallerDoes) {
  for (const int num_threads : {1, 3}) {
    std::vector<double> results(2, 0.0);
    run_tasks(
        {[&] { results[0] = halved(kSmallNormal); }, [&] { results[1] = halved(kSmallNormal); }},
        num_threads);
    EXPECT_THAT(results, testing::Each(testing::Gt(0.0)));
  }
}

TEST(HardwareThreads, AreAtLeastOne) { EXPECT_GE(hardware_threads(), 1); }

}  // namespace
}  // namespace otss
