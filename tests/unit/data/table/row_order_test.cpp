#include "data/table/parallel/row_order.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace otss::internal {
namespace {

TEST(RowOrder, UsesPartsInRowOrderWhateverTheOrderTheyComeIn) {
  RowOrder order;
  std::vector<int> used;
  order.put(5, 2, [&] { used.push_back(5); });
  order.put(3, 2, {});
  EXPECT_TRUE(used.empty());
  order.put(0, 3, [&] { used.push_back(0); });
  EXPECT_EQ(used, (std::vector<int>{0, 5}));
  order.put(7, 1, [&] { used.push_back(7); });
  EXPECT_EQ(used, (std::vector<int>{0, 5, 7}));
}

TEST(RowOrder, ThrowsTheErrorOfTheFirstRowAndUsesNothingAfterIt) {
  RowOrder order;
  bool used = false;
  const auto fail = [](const char* words) { return [=] { throw std::runtime_error(words); }; };
  order.put(2, 1, fail("row 2"));
  order.put(1, 1, fail("row 1"));
  try {
    order.put(0, 1, {});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "row 1");
  }
  EXPECT_THROW(order.put(3, 1, [&] { used = true; }), std::runtime_error);
  EXPECT_THROW(order.rethrow(), std::runtime_error);
  EXPECT_FALSE(used);
}

}  // namespace
}  // namespace otss::internal
