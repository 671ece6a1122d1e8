#include "lab/worlds/truth.hpp"

#include <gtest/gtest.h>

namespace otss {
namespace {

using namespace internal;

// Two contexts, two decisions, two factors.
const std::vector<double> kTruth = {1, 0, 0, 1};
const std::vector<double> kEstimate = {1, 0, 1, 0};

TEST(ScoreAgainstTruth, LooksUpTheFactorsOfEachContextsOwnDecisions) {
  // In the second context the estimate takes the first decision, worth 2 under the truth, where the
  // second is worth 5.
  const std::vector<double> own = {3, 0, 1, 0, /**/ 4, 2, 1, 5};
  const TruthScore score = score_against_truth(kEstimate, kTruth, decisions_by_row(2, 2, own));
  EXPECT_DOUBLE_EQ(score.regret, (0 + 3) / 2.0);
  EXPECT_DOUBLE_EQ(score.match_rate, 0.5);
  EXPECT_DOUBLE_EQ(score.weight_mse, (0 + 2) / 2.0);
}

TEST(ScoreAgainstTruth, IsTheSameForALibraryAndForItsCopyInEveryContext) {
  const std::vector<double> library = {4, 2, 1, 5, 3, 3};
  std::vector<double> copies = library;
  copies.insert(copies.end(), library.begin(), library.end());
  const TruthScore shared =
      score_against_truth(kEstimate, kTruth, FeasibleSet::of_library({}, 2, library));
  const TruthScore listed = score_against_truth(kEstimate, kTruth, decisions_by_row(2, 2, copies));
  EXPECT_DOUBLE_EQ(shared.regret, listed.regret);
  EXPECT_DOUBLE_EQ(shared.match_rate, listed.match_rate);
  EXPECT_NEAR(shared.weight_mse_scaled, listed.weight_mse_scaled, 1e-12);
}

}  // namespace
}  // namespace otss
