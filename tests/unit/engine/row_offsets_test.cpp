#include "engine/row_offsets.hpp"

#include <gtest/gtest.h>

#include "engine/cpu/cpu_engine.hpp"
#include "unit/engine/problem.hpp"

namespace otss::test {

using namespace internal;

namespace {

std::vector<double> random_offsets(std::size_t rows) {
  Rng rng(5);
  std::vector<double> offsets(rows);
  for (double& offset : offsets) offset = rng.normal();
  return offsets;
}

LossGradient evaluate(const Problem& problem, const std::vector<double>& theta,
                      const RowOffsets& offsets, Precision precision = Precision::kDouble,
                      Isa isa = active_isa()) {
  const auto engine =
      make_cpu_engine(problem.features, problem.layout.num_contexts, problem.rows,
                      problem.layout.num_experts, 1, isa, problem.outcomes, offsets);
  LossGradient result{0, std::vector<double>(problem.layout.size())};
  result.loss = engine->evaluate(theta, result.gradient, precision);
  return result;
}

class OffsetGradient : public testing::TestWithParam<std::tuple<int, OutputFamily>> {};

TEST_P(OffsetGradient, EqualsFiniteDifferencesInEveryParameter) {
  const auto [num_experts, family] = GetParam();
  Problem problem = make_problem(300, {3, 4, num_experts}, Weights::kGeneral);
  if (family != OutputFamily::kBernoulli) problem = with_family(std::move(problem), family);
  const RowOffsets offsets(random_offsets(300));
  const LossGradient here = evaluate(problem, problem.theta, offsets);
  constexpr double kStep = 1e-5;
  for (std::size_t j = 0; j < problem.theta.size(); ++j) {
    std::vector<double> up = problem.theta;
    std::vector<double> down = problem.theta;
    up[j] += kStep;
    down[j] -= kStep;
    const double difference =
        (evaluate(problem, up, offsets).loss - evaluate(problem, down, offsets).loss) / (2 * kStep);
    EXPECT_NEAR(here.gradient[j], difference, 1e-6 * problem.rows.total()) << "parameter " << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Experts, OffsetGradient,
                         testing::Combine(testing::Values(1, 3, 11),
                                          testing::Values(OutputFamily::kBernoulli,
                                                          OutputFamily::kGaussian,
                                                          OutputFamily::kPoisson)));

TEST(RowOffsets, ThatAreAllEqualActAsAnIntercept) {
  for (const Isa isa : kAllIsas) {
    if (!isa_supported(isa)) continue;
    for (const Weights weights : {Weights::kUnit, Weights::kGeneral}) {
      const Problem problem = make_problem(1000, {5, 4, 3}, weights);
      std::vector<double> shifted = problem.theta;
      shifted[problem.layout.baseline() + problem.layout.num_contexts] += 0.75;
      const RowOffsets offsets(std::vector<double>(1000, 0.75));
      const LossGradient with = evaluate(problem, problem.theta, offsets, Precision::kDouble, isa);
      const LossGradient moved = evaluate(problem, shifted, {}, Precision::kDouble, isa);
      EXPECT_NEAR(with.loss, moved.loss, 1e-10 * moved.loss);
      for (std::size_t j = 0; j < moved.gradient.size(); ++j)
        EXPECT_NEAR(with.gradient[j], moved.gradient[j], 1e-10 * moved.loss);
    }
  }
}

TEST(RowOffsets, OfSomeRowsKeepTheOrderOfTheRows) {
  const RowOffsets offsets(random_offsets(500));
  const std::vector<std::size_t> rows{400, 3, 250};
  const RowOffsets some = offsets.of(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(some[i], offsets[rows[i]]);
  EXPECT_EQ(RowOffsets().of(rows)[1], 0);
}

}  // namespace
}  // namespace otss::test
