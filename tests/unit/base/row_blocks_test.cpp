#include "base/row_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/threads.hpp"

namespace otss {
namespace {

using namespace internal;

TEST(ForRowBlocks, VisitsEveryRowOnceInsideAndOutsideOfLoops) {
  constexpr std::size_t kRows = 10'000;
  const auto visited = [](int num_threads) {
    std::vector<int> visits(kRows, 0);
    parallel_for(2, num_threads, [&](std::size_t task) {
      if (task == 1) return;
      for_row_blocks(kRows, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) ++visits[row];
      });
    });
    return visits;
  };
  EXPECT_THAT(visited(1), testing::Each(1));
  EXPECT_THAT(visited(4), testing::Each(1));
}

TEST(ForRowBlocks, GivesALoopSeveralBlocksOfALargeLog) {
  const std::size_t before = num_tasks_done();
  for_row_blocks(10'000, [](std::size_t, std::size_t) {});
  EXPECT_EQ(num_tasks_done() - before, 3U);
}

}  // namespace
}  // namespace otss
