#include "data/table/parallel/chunk_helpers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace otss::internal {
namespace {

TEST(ChunkHelpersOnThreads, UseCopiesOfTheChunksThatTheyTakeOver) {
  std::atomic<int> used = 0;
  {
    std::vector<double> numbers = {1, 2};
    std::string word = "word";
    const std::vector<std::string_view> texts = {word, {}, ""};
    const TableChunk chunk{
        5, 2, {{ColumnKind::kNumber, numbers, {}}, {ColumnKind::kText, {}, texts}}};
    ChunkHelpers helpers(2, [&](const TableChunk& copy) {
      EXPECT_EQ(copy.first_row, 5U);
      EXPECT_EQ(copy.columns[0].numbers[1], 2);
      EXPECT_NE(copy.columns[0].numbers.data(), numbers.data());
      EXPECT_EQ(copy.columns[1].texts[0], "word");
      EXPECT_EQ(copy.columns[1].texts[1].data(), nullptr) << "a missing text";
      EXPECT_NE(copy.columns[1].texts[2].data(), nullptr) << "an empty text";
      ++used;
    });
    int taken = 0;
    for (int i = 0; i < 100; ++i) taken += helpers.take_over(chunk) ? 1 : 0;
    helpers.finish();
    EXPECT_GE(taken, 2);
    EXPECT_EQ(used, taken);
  }
}

TEST(HelpWithGroups, IsForTheThreadsThatHaveNoLastGroup) {
  const auto expect = [](std::size_t groups, int helpers, std::size_t first_row) {
    const HelpWithGroups help = help_with_groups(1000 * groups, groups, 16);
    EXPECT_EQ(help.num_helpers, helpers) << groups << " groups";
    EXPECT_EQ(help.first_row, first_row) << groups << " groups";
  };
  expect(9, 7, 0);         // nine threads read, the others help
  expect(16, 0, 0);        // every thread reads one group
  expect(17, 15, 16'000);  // one thread reads the last group, the others help
  expect(100, 0, 0);       // every thread reads several groups
}

TEST(ChunkHelpersOnThreads, TakeNothingIfThereIsNoHelper) {
  ChunkHelpers helpers(0, [](const TableChunk&) { ADD_FAILURE(); });
  EXPECT_FALSE(helpers.take_over({0, 1, {}}));
  helpers.finish();
}

TEST(ChunkHelpersOnThreads, HandOnWhatAHelperThrows) {
  ChunkHelpers helpers(1, [](const TableChunk&) { throw std::runtime_error("bad row"); });
  EXPECT_TRUE(helpers.take_over({0, 1, {}}));
  EXPECT_THROW(helpers.finish(), std::runtime_error);
  EXPECT_THROW(helpers.take_over({1, 1, {}}), std::runtime_error);
}

}  // namespace
}  // namespace otss::internal
