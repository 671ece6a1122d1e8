#include "learn/methods/isa/nearest_kernel.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "base/random.hpp"
#include "data/log/tile_matrix.hpp"
#include "learn/methods/routing/k_means.hpp"

namespace otss {
namespace {

using namespace internal;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Found {
  VectorXd index = VectorXd(kTileRows);
  VectorXd distance = VectorXd(kTileRows);
};

Found nearest(Isa isa, const MatrixXd& tile, const MatrixXd& centers) {
  Found found;
  nearest_kernel(isa).nearest(tile.cols(), tile.data(), centers.cols(), centers.data(),
                              found.index.data(), found.distance.data());
  return found;
}

class NearestKernelOn : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!isa_supported(GetParam())) GTEST_SKIP() << "this processor has no such instructions";
  }

  MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns) {
    return MatrixXd::NullaryExpr(rows, columns, [&] { return rng_.normal(); });
  }

 private:
  Rng rng_{7};
};

TEST_P(NearestKernelOn, FindsTheLeastSquaredDistanceOfEachRow) {
  const MatrixXd tile = random_matrix(kTileRows, 3);
  for (const int num_centers : {1, 3, 4, 6, 9}) {
    const MatrixXd centers = random_matrix(3, num_centers);
    const Found found = nearest(GetParam(), tile, centers);
    for (Eigen::Index i = 0; i < tile.rows(); ++i) {
      const VectorXd distances =
          (centers.colwise() - tile.row(i).transpose()).colwise().squaredNorm();
      Eigen::Index expected = 0;
      EXPECT_NEAR(found.distance[i], distances.minCoeff(&expected), 1e-14);
      EXPECT_EQ(found.index[i], expected);
    }
  }
}

TEST_P(NearestKernelOn, TakesTheFirstOfEquallyNearCentersAndIsExactlyZeroAtACenter) {
  const MatrixXd tile = random_matrix(kTileRows, 5);
  MatrixXd centers(5, 6);
  centers << tile.row(1).transpose(), tile.row(0).transpose(), tile.row(0).transpose(),
      tile.row(2).transpose(), tile.row(2).transpose(), tile.row(0).transpose();
  const Found found = nearest(GetParam(), tile, centers);
  EXPECT_EQ(found.index[0], 1);
  EXPECT_EQ(found.index[2], 3);
  EXPECT_EQ(found.distance[0], 0);
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, NearestKernelOn, testing::ValuesIn(kAllIsas),
                         [](const auto& tested) { return std::string(isa_name(tested.param)); });

}  // namespace
}  // namespace otss
