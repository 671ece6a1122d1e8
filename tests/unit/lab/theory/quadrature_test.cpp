#include "lab/theory/quadrature.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace otss {
namespace {

using namespace internal;

TEST(Quadrature, IsExactForPolynomialsUpToTwiceItsNodesLessOne) {
  const QuadratureRule rule = gauss_legendre(5);
  for (int degree = 0; degree <= 9; ++degree) {
    double sum = 0;
    for (int i = 0; i < 5; ++i) sum += rule.weights[i] * std::pow(rule.nodes[i], degree);
    EXPECT_NEAR(sum, degree % 2 == 0 ? 2.0 / (degree + 1) : 0.0, 1e-14) << "degree " << degree;
  }
}

TEST(Quadrature, IntegratesSmoothFunctionsToRounding) {
  EXPECT_NEAR(integrate([](double x) { return std::exp(x); }, equal_cuts(-1, 2, 1)),
              std::exp(2.0) - std::exp(-1.0), 1e-13);
}

TEST(Quadrature, IntegratesJumpsExactlyWhenTheyAreCuts) {
  const std::vector<double> cuts = {0, 0.3, 1};
  EXPECT_NEAR(integrate([](double x) { return x < 0.3 ? 5.0 : x; }, cuts), 1.5 + 0.455, 1e-14);
}

TEST(Quadrature, CutsStartAndEndWhereTheyWereAskedTo) {
  const std::vector<double> cuts = equal_cuts(0, 1, 3);
  EXPECT_EQ(cuts.size(), 4u);
  EXPECT_EQ(cuts.front(), 0);
  EXPECT_EQ(cuts.back(), 1);
}

}  // namespace
}  // namespace otss
