// These tests need a GPU; without one they are skipped.
#ifdef OTSS_HAS_CUDA
#include "engine/cuda/cuda_engine.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/cpu/cpu_engine.hpp"
#include "unit/engine/problem.hpp"

namespace otss::test {

using namespace internal;

namespace {

struct Shape {
  int num_contexts, num_factors, num_experts;
  std::size_t num_rows = 3000;
};

class CudaEngine : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "there is no GPU";
  }
};

LossGradient evaluate(const Engine& engine, const std::vector<double>& theta, Precision precision) {
  LossGradient out{0, std::vector<double>(theta.size())};
  out.loss = engine.evaluate(theta, out.gradient, precision);
  return out;
}

void expect_near(const LossGradient& ours, const LossGradient& expected, double allowed) {
  EXPECT_NEAR(ours.loss, expected.loss, allowed);
  for (std::size_t j = 0; j < expected.gradient.size(); ++j)
    EXPECT_NEAR(ours.gradient[j], expected.gradient[j], allowed) << "parameter " << j;
}

TEST_P(CudaEngine, GivesTheSumsOfTheCpuEngine) {
  const Shape shape = GetParam();
  const Problem problem = make_problem(shape.num_rows, {shape.num_contexts, shape.num_factors, shape.num_experts}, Weights::kMasked);
  const auto cpu = make_cpu_engine(problem.features, shape.num_contexts, problem.rows, shape.num_experts, 1);
  const auto cuda = make_cuda_engine(copy_to_gpu(problem.features), shape.num_contexts, problem.rows, shape.num_experts);
  const LossGradient expected = evaluate(*cpu, problem.theta, Precision::kDouble);
  const double scale = problem.rows.total() * kLargestFeature;
  expect_near(evaluate(*cuda, problem.theta, Precision::kSingle), expected, 1e-6 * scale);
  expect_near(evaluate(*cuda, problem.theta, Precision::kDouble), expected, 1e-12 * scale);
}

TEST_P(CudaEngine, GivesTheSameBitsAgain) {
  const Shape shape = GetParam();
  const Problem problem = make_problem(shape.num_rows, {shape.num_contexts, shape.num_factors, shape.num_experts}, Weights::kMasked);
  const auto cuda = make_cuda_engine(copy_to_gpu(problem.features), shape.num_contexts, problem.rows, shape.num_experts);
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    const LossGradient first = evaluate(*cuda, problem.theta, precision);
    const LossGradient second = evaluate(*cuda, problem.theta, precision);
    EXPECT_EQ(first.loss, second.loss);
    EXPECT_EQ(first.gradient, second.gradient);
  }
}

class CudaFamilies : public testing::TestWithParam<OutputFamily::Kind> {
 protected:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "there is no GPU";
  }
};

TEST_P(CudaFamilies, GiveTheSumsOfTheCpuEngine) {
  const MixtureLayout layout{6, 4, 3};
  const Problem problem = with_family(make_problem(2000, layout, Weights::kMasked), GetParam());
  const auto cpu = make_cpu_engine(problem.features, 6, problem.rows, 3, 1, active_isa(), problem.outcomes);
  const auto cuda = make_cuda_engine(copy_to_gpu(problem.features), 6, problem.rows, 3, problem.outcomes);
  const LossGradient expected = evaluate(*cpu, problem.theta, Precision::kDouble);
  const double scale = std::max(expected.loss, problem.rows.total() * kLargestFeature);
  expect_near(evaluate(*cuda, problem.theta, Precision::kSingle), expected, 2e-6 * scale);
  expect_near(evaluate(*cuda, problem.theta, Precision::kDouble), expected, 1e-12 * scale);
}

INSTANTIATE_TEST_SUITE_P(All, CudaFamilies,
                         testing::Values(OutputFamily::kBernoulli, OutputFamily::kGaussian, OutputFamily::kPoisson));

INSTANTIATE_TEST_SUITE_P(Shapes, CudaEngine,
                         testing::Values(Shape{20, 10, 5}, Shape{20, 10, 1}, Shape{20, 10, 2}, Shape{7, 3, 3},
                                         Shape{1, 1, 4}, Shape{64, 10, 3}, Shape{64, 10, 5}, Shape{20, 10, 8},
                                         Shape{33, 5, 6}, Shape{9, 2, 7}, Shape{90, 30, 8}, Shape{250, 40, 4},
                                         Shape{5, 4, 11}, Shape{20, 10, 5, 1}, Shape{20, 10, 5, 300000}));

}  // namespace

}  // namespace otss::test
#endif
