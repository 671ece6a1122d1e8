// These tests need a GPU; without one they are skipped.
#include "learn/posterior/cuda/gpu_chain_rows.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "base/cuda/gpu.hpp"
#include "base/threads.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss::test {
namespace {

constexpr int kSteps = 8;

Problem random_problem(int num_contexts, int num_factors, int num_rows) {
  Rng rng(3);
  std::vector<Row> rows(num_rows);
  for (Row& row : rows) {
    row.x = normals(rng, num_contexts);
    row.z = normals(rng, num_factors);
    row.outcome = rng.uniform() < logistic(row.x[0] * row.z[0]);
    row.weight = rng.uniform() < 0.1 ? 0 : 1.5;
  }
  return problem_of(rows);
}

struct Shape {
  int num_contexts, num_factors, num_experts, num_rows;
};

// A chain near some point of the posterior.
struct ChainAt {
  Problem problem;
  MixtureLayout layout;
  LearnedPenalty prior;
  std::vector<double> theta;
  Eigen::MatrixXd hessian;
  Eigen::VectorXd velocity;

  explicit ChainAt(const Shape& shape)
      : problem(random_problem(shape.num_contexts, shape.num_factors, shape.num_rows)),
        layout(problem.layout(shape.num_experts)),
        prior(LearnedPenalty::standard(layout)) {
    Rng rng(4);
    for (std::size_t i = 0; i < layout.size(); ++i) theta.push_back(0.3 * rng.normal());
    hessian = curvature(problem, theta, layout, 2);
    prior.add_curvature(layout, theta, hessian);
    hessian.diagonal().array() += 1e-3;
    velocity.resize(static_cast<Eigen::Index>(layout.size()));
    for (double& v : velocity) v = rng.normal();
  }

  std::unique_ptr<const ChainRows> on_cpu() const {
    return make_chain_rows(Device::kCpu, problem, layout.num_experts, 2);
  }
  std::unique_ptr<const ChainRows> on_gpu() const {
    return cuda::make_gpu_chain_rows(problem, layout.num_experts);
  }
  Trajectory follow(Leapfrog& leapfrog, double step = 0.1) const {
    return leapfrog.follow(theta, velocity, step, kSteps);
  }
};

void expect_near(const Trajectory& ours, const Trajectory& expected) {
  EXPECT_NEAR(ours.first_value, expected.first_value, 1e-6 * expected.first_value);
  EXPECT_NEAR(ours.last_value, expected.last_value, 1e-5 * expected.last_value);
  EXPECT_LT((ours.theta - expected.theta).norm(), 1e-4 * expected.theta.norm());
  EXPECT_LT((ours.velocity - expected.velocity).norm(), 1e-4 * expected.velocity.norm());
}

class GpuTrajectories : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    const cuda::GpuSearch found = cuda::find_gpu();
    if (!found.gpu) GTEST_SKIP() << found.reason;
  }
};

TEST_P(GpuTrajectories, EndWhereThoseOfTheProcessorEndWithTheSameBitsAgain) {
  ChainAt chain(GetParam());
  ASSERT_TRUE(cuda::can_sample(chain.problem, chain.layout.num_experts));
  const auto cpu_rows = chain.on_cpu(), gpu_rows = chain.on_gpu();
  const auto cpu = cpu_rows->leapfrog(chain.prior, chain.hessian);
  const auto gpu = gpu_rows->leapfrog(chain.prior, chain.hessian);
  const Trajectory first = chain.follow(*gpu);
  expect_near(first, chain.follow(*cpu));
  const Trajectory second = chain.follow(*gpu);
  EXPECT_EQ(first.theta, second.theta);
  EXPECT_EQ(first.last_value, second.last_value);
  // The prior may change between two trajectories.
  chain.prior.gate_columns.assign(chain.layout.num_contexts, GammaLaw::known(30));
  const Trajectory changed = chain.follow(*gpu);
  expect_near(changed, chain.follow(*cpu));
  if (chain.layout.num_experts > 1) {
    EXPECT_NE(changed.first_value, first.first_value);
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuTrajectories,
                         testing::Values(Shape{20, 10, 5, 3000}, Shape{1, 1, 1, 90},
                                         Shape{7, 3, 2, 1000}, Shape{33, 5, 3, 2000},
                                         Shape{4, 8, 4, 500}, Shape{64, 32, 8, 2000},
                                         Shape{9, 12, 6, 1500}, Shape{3, 2, 7, 129},
                                         Shape{20, 10, 5, 100'000}));

TEST(GpuTrajectory, IsNotFiniteIfItLeavesTheNumbers) {
  const cuda::GpuSearch found = cuda::find_gpu();
  if (!found.gpu) GTEST_SKIP() << found.reason;
  const ChainAt chain({5, 3, 2, 300});
  const auto rows = chain.on_gpu();
  const auto leapfrog = rows->leapfrog(chain.prior, chain.hessian);
  EXPECT_FALSE(std::isfinite(chain.follow(*leapfrog, 1e200).last_value));
}

// Where a trajectory begins where the one before began or ended, the rows are not read again.
TEST(GpuTrajectory, DoesNotDependOnTheTrajectoryBefore) {
  const cuda::GpuSearch found = cuda::find_gpu();
  if (!found.gpu) GTEST_SKIP() << found.reason;
  ChainAt chain({20, 10, 5, 3000});
  const auto rows = chain.on_gpu();
  const auto used = rows->leapfrog(chain.prior, chain.hessian);
  for (int i = 0; i < 80; ++i) {
    const Trajectory end = chain.follow(*used, 0.01);
    const auto fresh = rows->leapfrog(chain.prior, chain.hessian);
    const Trajectory expected = chain.follow(*fresh, 0.01);
    ASSERT_EQ(end.theta, expected.theta);
    ASSERT_EQ(end.velocity, expected.velocity);
    ASSERT_EQ(end.first_value, expected.first_value);
    ASSERT_EQ(end.last_value, expected.last_value);
    if (i % 3 != 0) chain.theta.assign(end.theta.begin(), end.theta.end());
  }
}

// The memory of a chain is used again.
TEST(GpuTrajectory, DoesNotDependOnTheChainBefore) {
  const cuda::GpuSearch found = cuda::find_gpu();
  if (!found.gpu) GTEST_SKIP() << found.reason;
  const ChainAt small({5, 3, 2, 300}), large({20, 10, 5, 3000});
  const auto small_rows = small.on_gpu(), large_rows = large.on_gpu();
  const Trajectory expected = small.follow(*small_rows->leapfrog(small.prior, small.hessian));
  large.follow(*large_rows->leapfrog(large.prior, large.hessian));
  const Trajectory again = small.follow(*small_rows->leapfrog(small.prior, small.hessian));
  EXPECT_EQ(again.theta, expected.theta);
  EXPECT_EQ(again.last_value, expected.last_value);
}

// A kernel follows some trajectories, waits a while for the next, and ends. The next is then followed by
// another kernel.
TEST(GpuTrajectory, IsFollowedByWhicheverKernelThereIs) {
  const cuda::GpuSearch found = cuda::find_gpu();
  if (!found.gpu) GTEST_SKIP() << found.reason;
  const ChainAt chain({3, 2, 2, 300});
  const auto cpu_rows = chain.on_cpu(), gpu_rows = chain.on_gpu();
  const auto cpu = cpu_rows->leapfrog(chain.prior, chain.hessian);
  const auto gpu = gpu_rows->leapfrog(chain.prior, chain.hessian);
  constexpr int kTrajectories = 70;
  for (int i = 0; i < kTrajectories; ++i) {
    const double step = 0.002 * (i + 1);
    expect_near(chain.follow(*gpu, step), chain.follow(*cpu, step));
    if (i % 25 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST(GpuTrajectory, DoesNotWaitForOtherChains) {
  const cuda::GpuSearch found = cuda::find_gpu();
  if (!found.gpu) GTEST_SKIP() << found.reason;
  const ChainAt chain({20, 10, 5, 20'000});
  const auto rows = chain.on_gpu();
  // More chains than the card can work on at the same time.
  constexpr std::size_t kChains = 7;
  std::vector<Trajectory> ends(kChains);
  parallel_for(kChains, static_cast<int>(kChains), [&](std::size_t c) {
    const auto leapfrog = rows->leapfrog(chain.prior, chain.hessian);
    for (int i = 0; i < 20; ++i) ends[c] = chain.follow(*leapfrog);
  });
  for (const Trajectory& end : ends) EXPECT_EQ(end.theta, ends.front().theta);
}

TEST(GpuSampling, TakesOnlyWhatItsKernelComputes) {
  const cuda::GpuSearch found = cuda::find_gpu();
  if (!found.gpu) GTEST_SKIP() << found.reason;
  const Problem problem = random_problem(5, 3, 300);
  EXPECT_TRUE(cuda::can_sample(problem, 8));
  EXPECT_FALSE(cuda::can_sample(problem, 9));
}

}  // namespace
}  // namespace otss::test
