#include "otss/model/weight_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace otss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(WeightChecks, SayNothingIfTheyHold) {
  EXPECT_THAT(failed_checks({}), IsEmpty());
  EXPECT_THAT(failed_checks({.gate = GateTest{.columns = 6, .p_value = 0.3}, .known_share = 0.5}),
              IsEmpty());
}

TEST(WeightChecks, SayWhatIsWrongAndWhatToDo) {
  const WeightChecks checks{
      .gate = GateTest{.columns = 6, .p_value = 0.0004, .gain = 0.002, .discrepancy = {0.1}},
      .known_share = 0.31};
  EXPECT_FALSE(checks.determined());
  EXPECT_THAT(
      failed_checks(checks),
      ElementsAre(testing::AllOf(HasSubstr("the gate does not fit"), HasSubstr("p = 0.0004"),
                                 HasSubstr("--gate quadratic")),
                  testing::AllOf(HasSubstr("does not determine the weights of single contexts"),
                                 HasSubstr("0.31"), HasSubstr("use more rows"))));
}

}  // namespace
}  // namespace otss
