// These tests need a GPU; without one they are skipped.
#include "engine/cuda/cuda_engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/cuda/gpu.hpp"
#include "engine/cpu/cpu_engine.hpp"
#include "engine/cuda/gauss_newton_sums.hpp"
#include "engine/gauss_newton.hpp"
#include "engine/half/half_rows.hpp"
#include "unit/engine/problem.hpp"

namespace otss::test {
namespace {

struct Shape {
  int num_contexts, num_factors, num_experts;
  std::size_t num_rows = 3000;
};

template <class Parameter>
class OnGpu : public testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override {
    const cuda::GpuSearch found = cuda::find_gpu();
    if (!found.gpu) GTEST_SKIP() << found.reason;
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

Problem problem_of(const Shape& shape) {
  return make_problem(shape.num_rows, {shape.num_contexts, shape.num_factors, shape.num_experts},
                      Weights::kMasked);
}

LossGradient on_cpu(const Problem& problem) {
  const auto engine =
      make_cpu_engine(problem.features, problem.layout.num_contexts, problem.rows,
                      problem.layout.num_experts, 1, active_isa(), problem.outcomes);
  return evaluate(*engine, problem.theta, Precision::kDouble);
}

constexpr std::size_t kAllBytes = std::size_t{1} << 40;

std::shared_ptr<const cuda::GpuLog> log_on_gpu(const Problem& problem, std::size_t tile_bytes,
                                               Storage storage = Storage::kSingle) {
  return cuda::copy_to_gpu(problem.features, storage, problem.layout.num_contexts,
                           cuda::weights_to_copy(problem.rows), problem.outcomes, {}, tile_bytes,
                           2);
}

// The same problem with columns that f16 holds without rounding.
Problem in_half(Problem problem) {
  problem.features = rounded_to_half(problem.features);
  return problem;
}

std::unique_ptr<Engine> on_gpu(const Problem& problem) {
  return make_cuda_engine(log_on_gpu(problem, kAllBytes), problem.layout.num_experts);
}

using CudaShapes = OnGpu<Shape>;

TEST_P(CudaShapes, GiveTheSumsOfTheCpuEngineAndTheSameBitsAgain) {
  const Problem problem = problem_of(GetParam());
  const LossGradient expected = on_cpu(problem);
  const auto engine = on_gpu(problem);
  const double scale = problem.rows.total() * kLargestFeature;
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    const LossGradient first = evaluate(*engine, problem.theta, precision);
    expect_near(first, expected, (precision == Precision::kSingle ? 1e-6 : 1e-12) * scale);
    const LossGradient second = evaluate(*engine, problem.theta, precision);
    EXPECT_EQ(first.loss, second.loss);
    EXPECT_EQ(first.gradient, second.gradient);
  }
}

TEST_P(CudaShapes, GiveTheGaussNewtonMatrixOfTheHost) {
  const Problem problem = problem_of(GetParam());
  const auto size = static_cast<Eigen::Index>(problem.layout.size());
  if (!cuda::can_sum_gauss_newton(problem.layout.size())) GTEST_SKIP() << "too many parameters";
  const auto log = log_on_gpu(problem, kAllBytes);
  const std::vector<double> sums = cuda::sum_gauss_newton(*log, problem.layout, problem.theta);
  EXPECT_EQ(sums, cuda::sum_gauss_newton(*log, problem.layout, problem.theta));
  const Eigen::MatrixXd expected =
      gauss_newton(problem.features, problem.rows, problem.theta, problem.layout, 2);
  const Eigen::Map<const Eigen::MatrixXd> matrix(sums.data(), size, size);
  EXPECT_LT((matrix - expected).norm(), 1e-12 * expected.norm());
}

TEST_P(CudaShapes, GiveTheSumsOfTheCpuEngineFromRowsInHalf) {
  const Problem problem = in_half(problem_of(GetParam()));
  const LossGradient expected = on_cpu(problem);
  const auto engine =
      make_cuda_engine(log_on_gpu(problem, kAllBytes, Storage::kHalf), problem.layout.num_experts);
  const double scale = problem.rows.total() * kLargestFeature;
  const LossGradient first = evaluate(*engine, problem.theta, Precision::kSingle);
  expect_near(first, expected, 1e-6 * scale);
  const LossGradient second = evaluate(*engine, problem.theta, Precision::kSingle);
  EXPECT_EQ(first.loss, second.loss);
  EXPECT_EQ(first.gradient, second.gradient);
}

TEST_P(CudaShapes, GiveTheGaussNewtonMatrixOfRowsInHalf) {
  const Problem problem = in_half(problem_of(GetParam()));
  if (!cuda::can_sum_gauss_newton(problem.layout.size())) GTEST_SKIP() << "too many parameters";
  const auto single = log_on_gpu(problem, kAllBytes);
  const auto half = log_on_gpu(problem, kAllBytes, Storage::kHalf);
  EXPECT_EQ(cuda::sum_gauss_newton(*half, problem.layout, problem.theta),
            cuda::sum_gauss_newton(*single, problem.layout, problem.theta));
}

INSTANTIATE_TEST_SUITE_P(All, CudaShapes,
                         testing::Values(Shape{20, 10, 5}, Shape{20, 10, 1}, Shape{20, 10, 2},
                                         Shape{7, 3, 3}, Shape{1, 1, 4}, Shape{64, 10, 3},
                                         Shape{64, 10, 5}, Shape{20, 10, 8}, Shape{33, 5, 6},
                                         Shape{9, 2, 7}, Shape{30, 14, 4}, Shape{30, 30, 2},
                                         Shape{60, 30, 8}, Shape{90, 30, 8}, Shape{250, 40, 4},
                                         Shape{5, 4, 11}, Shape{20, 10, 5, 1},
                                         Shape{20, 10, 5, 300'000}));

using CudaFamilies = OnGpu<OutputFamily::Kind>;

TEST_P(CudaFamilies, GiveTheSumsOfTheCpuEngine) {
  const Problem problem = with_family(make_problem(2000, {6, 4, 3}, Weights::kMasked), GetParam());
  const LossGradient expected = on_cpu(problem);
  const auto engine = on_gpu(problem);
  const double scale = std::max(expected.loss, problem.rows.total() * kLargestFeature);
  expect_near(evaluate(*engine, problem.theta, Precision::kSingle), expected, 2e-6 * scale);
  expect_near(evaluate(*engine, problem.theta, Precision::kDouble), expected, 1e-12 * scale);
}

INSTANTIATE_TEST_SUITE_P(All, CudaFamilies,
                         testing::Values(OutputFamily::kBernoulli, OutputFamily::kGaussian,
                                         OutputFamily::kPoisson));

TEST_P(CudaFamilies, GiveTheSumsOfTheCpuEngineFromRowsInHalf) {
  const Problem problem =
      in_half(with_family(make_problem(2000, {6, 4, 3}, Weights::kMasked), GetParam()));
  const LossGradient expected = on_cpu(problem);
  const auto engine =
      make_cuda_engine(log_on_gpu(problem, kAllBytes, Storage::kHalf), problem.layout.num_experts);
  const double scale = std::max(expected.loss, problem.rows.total() * kLargestFeature);
  expect_near(evaluate(*engine, problem.theta, Precision::kSingle), expected, 2e-6 * scale);
}

using CudaWeights = OnGpu<double>;

// Derivatives of rows in f16 are f16 numbers, whose range is small.
TEST_P(CudaWeights, MayHaveAnySize) {
  Problem problem = in_half(problem_of({20, 10, 5}));
  std::vector<float> outcomes, weights;
  for (std::size_t i = 0; i < problem.rows.num_rows(); ++i) {
    outcomes.push_back(problem.rows[i] > 0 ? 1.0F : 0.0F);
    weights.push_back(static_cast<float>(GetParam() * std::abs(problem.rows[i])));
  }
  problem.rows = SignedWeights(outcomes, weights);
  const auto engine =
      make_cuda_engine(log_on_gpu(problem, kAllBytes, Storage::kHalf), problem.layout.num_experts);
  expect_near(evaluate(*engine, problem.theta, Precision::kSingle), on_cpu(problem),
              1e-6 * problem.rows.total() * kLargestFeature);
}

INSTANTIATE_TEST_SUITE_P(All, CudaWeights, testing::Values(1e-9, 1.0, 1e9));

// The share of the tiles that may stay in the GPU's memory.
using CudaStreams = OnGpu<double>;

TEST_P(CudaStreams, GiveTheSumsOfTheCpuEngine) {
  // The tiles need more room than the three slots of a stream.
  const Problem problem = problem_of({64, 32, 2, 2'000'000});
  const std::size_t bytes = problem.features.num_tiles() * problem.features.tile_size() * 4;
  const auto kept = static_cast<std::size_t>(GetParam() * static_cast<double>(bytes));
  const auto log = log_on_gpu(problem, kept);
  EXPECT_LT(log->tiles.num_resident(), log->tiles.num_tiles());
  const auto engine = make_cuda_engine(log, problem.layout.num_experts);
  const LossGradient first = evaluate(*engine, problem.theta, Precision::kSingle);
  expect_near(first, on_cpu(problem), 1e-6 * problem.rows.total() * kLargestFeature);
  EXPECT_EQ(first.gradient, evaluate(*engine, problem.theta, Precision::kSingle).gradient);
}

TEST_P(CudaStreams, GiveTheSumsOfTheCpuEngineFromRowsInHalf) {
  const Problem problem = in_half(problem_of({64, 32, 2, 2'000'000}));
  const std::size_t bytes = problem.features.num_tiles() * problem.features.tile_size() * 2;
  const auto kept = static_cast<std::size_t>(GetParam() * static_cast<double>(bytes));
  const auto log = log_on_gpu(problem, kept, Storage::kHalf);
  EXPECT_LT(log->tiles.num_resident(), log->tiles.num_tiles());
  const auto engine = make_cuda_engine(log, problem.layout.num_experts);
  expect_near(evaluate(*engine, problem.theta, Precision::kSingle), on_cpu(problem),
              1e-6 * problem.rows.total() * kLargestFeature);
}

INSTANTIATE_TEST_SUITE_P(All, CudaStreams, testing::Values(0.0, 0.4));

}  // namespace
}  // namespace otss::test
