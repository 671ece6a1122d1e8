#include "data/table/parallel/bounded_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

namespace otss::internal::duck {
namespace {

TEST(BoundedQueue, GivesEveryItemInOrderAndThenNothing) {
  BoundedQueue<int> numbers([next = 0]() mutable -> std::optional<int> {
    return next < 1000 ? std::optional(next++) : std::nullopt;
  });
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(numbers.take(), i);
  EXPECT_EQ(numbers.take(), std::nullopt);
  EXPECT_EQ(numbers.take(), std::nullopt);
}

TEST(BoundedQueue, MovesItemsThatCannotBeCopied) {
  BoundedQueue<std::unique_ptr<int>> one(
      [made = false]() mutable -> std::optional<std::unique_ptr<int>> {
        if (std::exchange(made, true)) return std::nullopt;
        return std::make_unique<int>(7);
      });
  EXPECT_EQ(**one.take(), 7);
  EXPECT_EQ(one.take(), std::nullopt);
}

TEST(BoundedQueue, ThrowsWhatTheMakerThrewAfterTheItemsBeforeIt) {
  BoundedQueue<int> numbers([next = 0]() mutable -> std::optional<int> {
    if (next == 2) throw std::runtime_error("the file ends here");
    return next++;
  });
  EXPECT_EQ(numbers.take(), 0);
  EXPECT_EQ(numbers.take(), 1);
  EXPECT_THROW(numbers.take(), std::runtime_error);
}

TEST(BoundedQueue, StopsTheMakerWhenTheTakerLeaves) {
  std::atomic<int> made = 0;
  {
    BoundedQueue<int> endless([&]() -> std::optional<int> { return made++; });
    EXPECT_EQ(endless.take(), 0);
  }
  const int at_the_end = made;
  EXPECT_LE(at_the_end, 4);  // one taken, two ahead, one in hand
  EXPECT_EQ(made, at_the_end);
}

}  // namespace
}  // namespace otss::internal::duck
