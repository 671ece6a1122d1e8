#include "engine/outer_products.hpp"

#include <gtest/gtest.h>

#include "base/isa.hpp"
#include "base/random.hpp"

namespace otss {
namespace {

using namespace internal;

Eigen::MatrixXd normals(Eigen::Index rows, Eigen::Index columns) {
  Rng rng(3);
  Eigen::MatrixXd values(rows, columns);
  for (double& value : values.reshaped()) value = rng.normal();
  return values;
}

TEST(OuterProducts, AreTheProductOfTheVectorsWithTheirTranspose) {
  for (const int size : {1, 7, 24, 61}) {
    for (const int count : {0, 1, 127, 300}) {
      const Eigen::MatrixXd vectors = normals(size, count);
      OuterProducts products(size);
      for (int i = 0; i < count; ++i) {
        const std::span<double> next = products.next();
        for (int j = 0; j < size; ++j) next[j] = vectors(j, i);
      }
      const Eigen::MatrixXd expected = vectors * vectors.transpose();
      const Eigen::MatrixXd sum = products.sum();
      ASSERT_EQ(sum.rows(), size);
      EXPECT_LT((sum - expected).cwiseAbs().maxCoeff(), 1e-12 * (1 + count))
          << size << " " << count;
    }
  }
}

TEST(OuterProducts, AreTheSameForEveryInstructionSetUpToRounding) {
  constexpr Eigen::Index kStride = 2 * kOuterProductsPadding;
  const Eigen::MatrixXd vectors = normals(kStride, 50);
  const Eigen::MatrixXd expected = vectors * vectors.transpose();
  const std::pair<Isa, OuterProductsKernel> kernels[] = {
      {Isa::kBaseline, baseline::kOuterProductsKernel},
      {Isa::kAvx2, avx2::kOuterProductsKernel},
      {Isa::kAvx512, avx512::kOuterProductsKernel}};
  for (const auto& [isa, kernel] : kernels) {
    if (!isa_supported(isa)) continue;
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(kStride, kStride);
    kernel(vectors.data(), kStride, 50, sum.data());
    const Eigen::MatrixXd error = (sum - expected).triangularView<Eigen::Lower>();
    EXPECT_LT(error.cwiseAbs().maxCoeff(), 1e-11) << isa_name(isa);
  }
}

}  // namespace
}  // namespace otss
