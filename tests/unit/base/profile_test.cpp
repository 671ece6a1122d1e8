#include "base/profile.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/threads.hpp"

namespace otss {
namespace {

using namespace internal;

constexpr auto kShort = std::chrono::milliseconds(2);
constexpr double kShortSeconds = 0.002;

// The seconds of a stage since this object was made.
struct Since {
  Profile before = profile_of_process();
  double seconds(Stage stage) const {
    return profile_of_process().seconds_of(stage) - before.seconds_of(stage);
  }
};

TEST(StageTimer, CountsTheTimeOfItsStage) {
  const Since since;
  {
    const StageTimer timer(Stage::kDistil);
    std::this_thread::sleep_for(kShort);
  }
  EXPECT_GE(since.seconds(Stage::kDistil), kShortSeconds);
  EXPECT_EQ(since.seconds(Stage::kSample), 0);
}

TEST(StageTimer, CountsNoSecondTwice) {
  const Since since;
  const auto begin = std::chrono::steady_clock::now();
  {
    const StageTimer outer(Stage::kChoose);
    std::this_thread::sleep_for(kShort);
    {
      const StageTimer inner(Stage::kFit);
      std::this_thread::sleep_for(kShort);
    }
    std::this_thread::sleep_for(kShort);
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(since.seconds(Stage::kFit), kShortSeconds);
  EXPECT_GE(since.seconds(Stage::kChoose), 2 * kShortSeconds);
  EXPECT_LE(since.seconds(Stage::kFit) + since.seconds(Stage::kChoose), passed.count());
}

TEST(Profile, CountsRowsTasksAndMemory) {
  const Profile before = profile_of_process();
  count_rows(1000);
  parallel_for(7, 2, [](std::size_t) {});
  const Profile after = profile_of_process();
  EXPECT_EQ(after.rows_evaluated - before.rows_evaluated, 1000);
  EXPECT_EQ(after.tasks - before.tasks, 7U);
  EXPECT_GT(after.peak_memory_bytes, 1U << 20U);
}

}  // namespace
}  // namespace otss
