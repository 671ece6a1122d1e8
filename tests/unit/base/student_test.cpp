#include "base/student.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace otss {
namespace {

using namespace internal;

TEST(StudentQuantile, IsExactWhereAFormulaIs) {
  for (const double p : {0.55, 0.8, 0.95, 0.995}) {
    EXPECT_NEAR(student_quantile(p, 1), std::tan(std::numbers::pi * (p - 0.5)), 1e-7);
    EXPECT_NEAR(student_quantile(p, 2), (2 * p - 1) / std::sqrt(2 * p * (1 - p)), 1e-8);
  }
}

TEST(StudentQuantile, AgreesWithPublishedTables) {
  EXPECT_NEAR(student_quantile(0.95, 5), 2.0150483727, 1e-9);
  EXPECT_NEAR(student_quantile(0.975, 30), 2.0422724563, 1e-9);
  EXPECT_NEAR(student_quantile(0.9995, 10), 4.5868938587, 1e-8);
  EXPECT_NEAR(student_quantile(0.95, 7.5), 1.8757474792, 1e-9);
}

TEST(StudentQuantile, IsTheNormalOneForManyDegrees) {
  EXPECT_NEAR(student_quantile(0.95, 1e9), 1.6448536270, 2e-6);
  EXPECT_NEAR(student_quantile(0.975, 1e12), 1.9599639845, 3e-6);
}

TEST(StudentQuantile, IsOddAboutTheMedian) {
  EXPECT_NEAR(student_quantile(0.5, 4), 0, 1e-12);
  EXPECT_DOUBLE_EQ(student_quantile(0.1, 4), -student_quantile(0.9, 4));
}

}  // namespace
}  // namespace otss
