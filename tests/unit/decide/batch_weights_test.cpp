#include "otss/decide/batch_weights.hpp"

#include <gtest/gtest.h>

#include "unit/decide/tables.hpp"

namespace otss {
namespace {

TEST(BatchWeights, OfTheProcessorAreThoseOfTheMap) {
  Rng rng(1);
  const SoftMixture map = random_mixture(4, 3, 5, rng);
  const std::vector<double> x = normal_draws(700 * 4, rng);
  std::vector<double> w(700 * 3), expected(w.size());
  map.weights(700, x, expected);
  BatchWeights(map, Device::kCpu).compute(700, x, w);
  EXPECT_EQ(w, expected);
}

}  // namespace
}  // namespace otss
