#include "learn/posterior/chain_rows.hpp"

#include <gtest/gtest.h>

#include "unit/learn/small_problem.hpp"

namespace otss::test {
namespace {

constexpr int kSteps = 4;

Problem random_problem() {
  Rng rng(3);
  std::vector<Row> rows(400);
  for (Row& row : rows) {
    row.x = normals(rng, 4);
    row.z = normals(rng, 3);
    row.outcome = rng.uniform() < logistic(row.x[0] * row.z[0]);
  }
  return problem_of(rows);
}

// Where a trajectory begins where the one before began or ended, the rows are not read again.
TEST(ChainRows, FollowTrajectoriesThatDoNotDependOnThoseBefore) {
  const Problem problem = random_problem();
  const MixtureLayout layout = problem.layout(2);
  const auto rows = make_chain_rows(Device::kCpu, problem, 2, 1);
  LearnedPenalty prior = LearnedPenalty::standard(layout);
  const auto size = static_cast<Eigen::Index>(layout.size());
  const Eigen::MatrixXd hessian = 50 * Eigen::MatrixXd::Identity(size, size);
  const auto used = rows->leapfrog(prior, hessian);
  Rng rng(4);
  std::vector<double> theta = normals(rng, static_cast<int>(size));
  for (int i = 0; i < 12; ++i) {
    Eigen::VectorXd velocity(size);
    for (double& v : velocity) v = rng.normal();
    if (i == 8) prior.gate_columns.assign(layout.num_contexts, GammaLaw::known(30));
    const Trajectory ours = used->follow(theta, velocity, 0.1, kSteps);
    const Trajectory fresh = rows->leapfrog(prior, hessian)->follow(theta, velocity, 0.1, kSteps);
    ASSERT_EQ(ours.theta, fresh.theta);
    ASSERT_EQ(ours.velocity, fresh.velocity);
    ASSERT_EQ(ours.first_value, fresh.first_value);
    ASSERT_EQ(ours.last_value, fresh.last_value);
    if (i % 3 != 0) theta.assign(ours.theta.begin(), ours.theta.end());
  }
}

}  // namespace
}  // namespace otss::test
