#include "report/sections/share_effects.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "report/log/log_pass.hpp"
#include "unit/report/logged_world.hpp"

namespace otss::internal {
namespace {

// The parameters of the two experts, in the order of MixtureSize: the gate's scores of the first
// expert less those of the last, then the weights of both.
const std::vector<double> kTruth = {2, 0.2, 0.3, -0.3, 0.1, -1, 0.5, 0.3, 1.2};
const MixtureSize kSize{4, 2, 2};

// Returns the model that an estimate of the parameters gives. `factor` is its covariance factor.
Fitted estimated_model(const std::vector<double>& parameters, const CovarianceFactor& factor) {
  Fitted::Parts parts = two_experts().parts();
  std::vector<double> slopes(parameters.begin(), parameters.begin() + 4);
  slopes.resize(8, 0.0);
  const auto mixture =
      std::make_shared<SoftMixture>(LinearGate(4, slopes, std::vector<double>{parameters[4], 0}), 2,
                                    std::vector<double>(parameters.begin() + 5, parameters.end()));
  parts.scorer = mixture;
  parts.uncertainty = std::make_shared<NormalUncertainty>(mixture, factor);
  return Fitted(std::move(parts));
}

TEST(ShareEffects, HaveIntervalsThatCoverTheTrueEffects) {
  const Folder folder;
  const std::string path = folder.write("log.csv", logged_rows(60));
  const LogPass pass = pass_over_log(two_experts(), {.table = {.path = path}});
  Rng rng(11);
  CovarianceFactor factor{{}, 9};
  for (std::size_t i = 0; i < kSize.size() * 9; ++i) factor.rows.push_back(0.05 * rng.normal());
  const auto effects_of = [&](const std::vector<double>& parameters) {
    const Fitted model = estimated_model(parameters, factor);
    const ReportInput input{
        .fitted = model, .log = &pass.summary, .contexts = pass.summary.sample, .threads = 1};
    return share_effects(input, std::vector<double>{2, 1}).effects;
  };
  const std::vector<ShareEffect> truth = effects_of(kTruth);
  constexpr int kRepeats = 200;
  std::vector<int> covered(truth.size(), 0);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<double> estimate = kTruth;
    for (std::size_t r = 0; r < 9; ++r) {
      const double normal = rng.normal();
      for (std::size_t i = 0; i < estimate.size(); ++i)
        estimate[i] += factor.rows[i * 9 + r] * normal;
    }
    const std::vector<ShareEffect> found = effects_of(estimate);
    for (std::size_t e = 0; e < truth.size(); ++e) {
      const double effect = truth[e].changes[0].value;
      covered[e] += found[e].changes[0].lo <= effect && effect <= found[e].changes[0].hi ? 1 : 0;
    }
  }
  // At 90 % confidence, 200 repeats have a standard error of 2.1 percentage points. The intervals may
  // be too wide, because they take some of the error of the experts' weights for an error of shares.
  for (std::size_t e = 0; e < truth.size(); ++e)
    EXPECT_GE(covered[e], (0.9 - 3 * 0.021) * kRepeats) << "effect " << e;
}

}  // namespace
}  // namespace otss::internal
