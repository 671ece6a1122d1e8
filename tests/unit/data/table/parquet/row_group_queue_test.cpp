#include "data/table/parquet/row_group_queue.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "base/threads.hpp"
#include "unit/data/fixtures.hpp"

namespace otss::internal::parquet {
namespace {

using ::testing::HasSubstr;

RowGroup group_of(std::size_t num_rows) {
  RowGroup group;
  group.num_rows = num_rows;
  return group;
}

TEST(RowGroupQueue, WritesGroupsInOrderAndKeepsFewInMemory) {
  constexpr std::size_t kGroups = 500, kMost = 3;
  std::vector<std::size_t> written;
  std::atomic<std::size_t> num_added = 0, most_waiting = 0;
  RowGroupQueue queue(kMost, [&](const RowGroup& group) {
    return [&, number = group.num_rows] {
      const std::size_t waiting = num_added - written.size();
      most_waiting = std::max(most_waiting.load(), waiting);
      written.push_back(number);
    };
  });
  {
    std::atomic<bool> done = false;
    std::vector<std::jthread> helpers;
    for (int i = 0; i < 3; ++i)
      helpers.emplace_back([&] {
        while (!done) queue.help();
      });
    for (std::size_t i = 0; i < kGroups; ++i) {
      ++num_added;
      queue.add(group_of(i));
    }
    done = true;
  }
  queue.finish(2);
  ASSERT_EQ(written.size(), kGroups);
  for (std::size_t i = 0; i < kGroups; ++i) EXPECT_EQ(written[i], i);
  EXPECT_LE(most_waiting, kMost + 1);
}

TEST(RowGroupQueue, ThrowsInEveryThreadWhatWritingThrew) {
  RowGroupQueue queue(2, [](const RowGroup& group) -> std::function<void()> {
    return [number = group.num_rows] {
      if (number == 1) throw Error(ErrorCode::kIo, "the disk is full");
    };
  });
  for (std::size_t i = 0; i < 2; ++i) queue.add(group_of(i));
  queue.help();
  EXPECT_THAT(error_of([&] { queue.help(); }), HasSubstr("the disk is full"));
  EXPECT_THAT(error_of([&] { queue.add(group_of(2)); }), HasSubstr("the disk is full"));
  EXPECT_THAT(error_of([&] { queue.finish(2); }), HasSubstr("the disk is full"));
}

}  // namespace
}  // namespace otss::internal::parquet
