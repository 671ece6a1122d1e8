#include "learn/methods/routing/k_means.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

using test::Row;

// `count` rows about each of (0, 0), (10, 0) and (0, 10).
std::vector<Row> three_heaps(int count) {
  Rng rng(3);
  std::vector<Row> rows;
  for (int i = 0; i < 3 * count; ++i) {
    rows.push_back({{rng.normal() + (i % 3 == 1 ? 10 : 0), rng.normal() + (i % 3 == 2 ? 10 : 0)},
                    {rng.normal()}});
  }
  return rows;
}

TEST(KMeans, FindsHeapsThatLieFarApart) {
  const KMeans found = k_means(test::problem_of(three_heaps(200)), 3, {});
  ASSERT_EQ(found.num_clusters, 3);
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {10.0, 0.0}, {0.0, 10.0}}) {
    double nearest = 1e9;
    for (int k = 0; k < 3; ++k)
      nearest =
          std::min(nearest, std::hypot(found.centers[2 * k] - x, found.centers[2 * k + 1] - y));
    EXPECT_LT(nearest, 4 / std::sqrt(200.0));  // four standard errors of a centre
  }
}

// One heap has many nearly equal optima; theirs is the best of 200 starts.
TEST(KMeans, IsAsGoodAsScikitLearn) {
  const Problem problem = test::problem_of(test::golden_rows());
  const Json inertia = test::golden_numbers("scikit_learn.json")["k_means_inertia"];
  for (const auto& [clusters, theirs] : inertia.items()) {
    const double ours = k_means(problem, std::stoi(clusters), {.starts = 50}).inertia;
    EXPECT_LE(ours, theirs.get<double>() * (1 + 1e-4)) << clusters << " clusters";
  }
}

TEST(KMeans, CountsAWeightedRowAsThatManyRowsAndOneWithoutWeightNotAtAll) {
  std::vector<Row> weighted = three_heaps(20);
  std::vector<Row> repeated;
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    weighted[i].weight = static_cast<double>(i % 3);
    repeated.insert(repeated.end(), i % 3, weighted[i]);
  }
  for (Row& row : repeated) row.weight = 1;
  EXPECT_NEAR(k_means(test::problem_of(weighted), 2, {}).inertia,
              k_means(test::problem_of(repeated), 2, {}).inertia, 1e-9);
}

TEST(KMeans, HasNoMoreClustersThanDistinctContexts) {
  std::vector<Row> rows;
  for (int i = 0; i < 30; ++i) rows.push_back({{static_cast<double>(i % 2), 1}, {0}});
  const KMeans found = k_means(test::problem_of(rows), 5, {});
  EXPECT_EQ(found.num_clusters, 2);
  EXPECT_EQ(found.inertia, 0);
  EXPECT_EQ(distinct_contexts(test::problem_of(rows), 5), 2);
}

TEST(KMeans, DoesNotDependOnTheNumberOfThreads) {
  const Problem problem = test::problem_of(three_heaps(100));
  EXPECT_EQ(k_means(problem, 5, {.num_threads = 1}).centers,
            k_means(problem, 5, {.num_threads = 3}).centers);
}

}  // namespace
}  // namespace otss
