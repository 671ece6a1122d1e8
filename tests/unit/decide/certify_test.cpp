#include "otss/decide/certify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/normal_law.hpp"
#include "model/fitted_parts.hpp"
#include "model/uncertainty/normal_uncertainty.hpp"
#include "otss/decide/decider.hpp"
#include "otss/model/uncertainty.hpp"
#include "unit/decide/tables.hpp"

namespace otss {
namespace {

using namespace internal;

// A model that knows its weights up to a normal law.
struct Sure {
  std::shared_ptr<const SoftMixture> map;
  std::shared_ptr<const NormalUncertainty> uncertainty;
  Fitted model;

  Sure(std::shared_ptr<const SoftMixture> weights, std::vector<double> factor, int rank)
      : map(std::move(weights)),
        uncertainty(std::make_shared<NormalUncertainty>(
            map, NormalUncertainty::Factor{std::move(factor), rank})),
        model(fitted()) {}

 private:
  Fitted fitted() const {
    Fitted::Parts parts;
    for (int i = 0; i < map->num_contexts(); ++i)
      parts.encoder.contexts.push_back({.name = fmt::format("x{}", i), .scale = 1});
    for (int j = 0; j < map->num_factors(); ++j)
      parts.encoder.factors.push_back({.name = fmt::format("z{}", j)});
    parts.scorer = map;
    parts.baseline.slopes.resize(map->num_contexts());
    parts.baseline.expert_intercepts.resize(map->num_experts());
    parts.uncertainty = uncertainty;
    return Fitted(std::move(parts));
  }
};

// One trade-off w known up to F F'.
Sure pooled(const std::vector<double>& w, const std::vector<double>& factor) {
  const auto gate = LinearGate(0, std::vector<double>{}, std::vector<double>{0});
  const auto map = std::make_shared<SoftMixture>(gate, static_cast<int>(w.size()), w);
  return {map, factor, static_cast<int>(factor.size() / w.size())};
}

Sure random_mixture_and_covariance(Rng& rng) {
  const MixtureSize size{2, 3, 2};
  const auto gate = LinearGate(2, normal_draws(4, rng), normal_draws(2, rng));
  const auto map = std::make_shared<SoftMixture>(gate, 3, normal_draws(6, rng));
  std::vector<double> factor = normal_draws(size.size() * 4, rng);
  for (double& entry : factor) entry *= 0.2;
  return {map, factor, 4};
}

std::vector<Certificate> certificates_of(const Sure& sure, const FeasibleSet& library, int top,
                                         double level) {
  const std::vector<Decision> decisions = decide(*sure.map, {1}, library, {.top = top});
  return certify(sure.model, {1}, decisions, library, {.level = level});
}

// Standard error of a quantile of 512 draws, where the normal law has density `density`.
double quantile_error(double level, double density) {
  return std::sqrt(level * (1 - level) / 512) / density;
}

TEST(Certify, OfTwoDecisionsIsANormalQuantile) {
  const double z = normal_quantile(0.9);
  const FeasibleSet library = library_of(1, {1, 0});
  const double tolerance = 3 * quantile_error(0.9, 0.175);
  EXPECT_TRUE(certificates_of(pooled({z + tolerance}, {1}), library, 1, 0.9)[0].certified);
  EXPECT_FALSE(certificates_of(pooled({z - tolerance}, {1}), library, 1, 0.9)[0].certified);
  const Certificate unsure = certificates_of(pooled({0.5}, {1}), library, 1, 0.9)[0];
  EXPECT_NEAR(unsure.regret_bound, z - 0.5, tolerance);
  EXPECT_NEAR(unsure.probability_optimal, normal_probability(0.5), 3 * std::sqrt(0.21 / 512));
  // E max(0, -w) for w of mean 0.5 and unit variance.
  const double density = std::exp(-0.125) / std::sqrt(2 * M_PI);
  EXPECT_NEAR(unsure.expected_regret, density - 0.5 * normal_probability(-0.5), 0.06);
}

TEST(Certify, KnowsTheConfidenceUpToWhichADecisionIsCertified) {
  Rng rng(12);
  const Sure sure = random_mixture_and_covariance(rng);
  const FeasibleSet library = library_with_ties(12, 3, rng);
  const std::vector<double> x = normal_draws(2 * 60, rng);
  const Contexts contexts{60, x};
  const std::vector<Decision> decisions = decide(*sure.map, contexts, library);
  const std::vector<Certificate> at = certify(sure.model, contexts, decisions, library);
  int between = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    between += at[i].confidence > 0.01 && at[i].confidence < 0.99 ? 1 : 0;
    for (const double step : {-0.005, 0.005}) {
      const double level = at[i].confidence + step;
      if (level <= 0 || level >= 0.999) continue;
      const auto certificate = certify(sure.model, contexts, std::span(decisions).subspan(i, 1),
                                       library, {.level = level});
      EXPECT_EQ(certificate[0].certified, step < 0) << at[i].confidence;
    }
  }
  EXPECT_GT(between, 20);
}

// Returns the certificate of the better of two decisions whose scores differ by the weight w.
Certificate certificate_with(double w, const WeightChecks& checks) {
  const Sure sure = pooled({w}, {1});
  const FeasibleSet library = library_of(1, {1, 0});
  FitReport report;
  report.weight_checks = checks;
  const std::vector<Decision> decisions = decide(*sure.map, {1}, library, {.top = 1});
  return certify(sure.model.with_report(report), {1}, decisions, library, {.level = 0.9}).front();
}

TEST(Certify, PromisesNothingIfTheLogDoesNotDetermineTheWeights) {
  Rng rng(12);
  const Sure sure = random_mixture_and_covariance(rng);
  const FeasibleSet library = library_of(3, normal_draws(30, rng));
  const std::vector<double> x = normal_draws(2 * 60, rng);
  const Contexts contexts{60, x};
  const std::vector<Decision> decisions = decide(*sure.map, contexts, library);
  const auto certified_if_known = [&](double share) {
    FitReport report;
    report.weight_checks = {.known_share = share};
    return std::ranges::count_if(
        certify(sure.model.with_report(report), contexts, decisions, library, {.level = 0.5}),
        [](const Certificate& one) { return one.certified || one.confidence > 0; });
  };
  EXPECT_GT(certified_if_known(0.5), 0);
  EXPECT_EQ(certified_if_known(0.49), 0);
}

TEST(Certify, OneTradeOffNeedsALogThatExcludesDifferences) {
  EXPECT_TRUE(certificate_with(5, {.known_share = 0.9}).certified);
  EXPECT_FALSE(certificate_with(5, {.known_share = 0.2}).certified);
}

TEST(Certify, IsLessSureIfTheGateDoesNotFit) {
  const double sure = 1.5 * normal_quantile(0.9);
  EXPECT_TRUE(certificate_with(sure, {}).certified);
  const WeightChecks misfit{.gate = GateTest{.discrepancy = {2}}};
  EXPECT_FALSE(certificate_with(sure, misfit).certified);
  // The error now has the variance 1 + 2².
  EXPECT_TRUE(certificate_with(1.15 * std::sqrt(5.0) * normal_quantile(0.9), misfit).certified);
}

TEST(Certify, IsSurerAtALowerLevel) {
  const FeasibleSet library = library_of(2, {1, 0, 0, 1, 0.5, 0.4});
  const Sure sure = pooled({1, 0.2}, {0.4, 0, 0.1, 0.3});
  double before = 0;
  for (const double level : {0.5, 0.8, 0.9, 0.99}) {
    const double bound = certificates_of(sure, library, 1, level)[0].regret_bound;
    EXPECT_GE(bound, before);
    before = bound;
  }
}

TEST(Certify, EqualContextsHaveTheCertificatesThatTheyHaveAlone) {
  Rng rng(12);
  const Sure sure = random_mixture_and_covariance(rng);
  const FeasibleSet library = library_of(3, normal_draws(30, rng));
  const std::vector<double> first = normal_draws(2, rng), second = normal_draws(2, rng);
  std::vector<double> x;
  for (const auto& context : {first, second, first, first, second})
    x.insert(x.end(), context.begin(), context.end());
  const CertifyOptions options{.level = 0.9, .score_error = true};
  const Contexts all{5, x};
  const auto decisions = decide(*sure.map, all, library, {.top = 2});
  const auto together = certify(sure.model, all, decisions, library, options);
  for (std::size_t row = 0; row < 5; ++row) {
    const Contexts one{1, std::span(x).subspan(2 * row, 2)};
    const auto own = decide(*sure.map, one, library, {.top = 2});
    const auto alone = certify(sure.model, one, own, library, options);
    for (std::size_t d = 0; d < 2; ++d) {
      EXPECT_EQ(together[2 * row + d].certified, alone[d].certified);
      EXPECT_EQ(together[2 * row + d].regret_bound, alone[d].regret_bound);
      EXPECT_EQ(together[2 * row + d].expected_regret, alone[d].expected_regret);
      EXPECT_EQ(together[2 * row + d].score_error, alone[d].score_error);
    }
  }
}

// Returns the certificate of a decision that leads eight independent ones by so many deviations.
Certificate leading_eight(double lead) {
  std::vector<double> w{0}, identity(81, 0.0), factors(81, 0.0);
  for (int i = 0; i < 8; ++i) {
    w.push_back(-lead);
    factors[9 * (i + 1) + i + 1] = 1;
    identity[10 * (i + 1)] = 1;
  }
  return certificates_of(pooled(w, identity), library_of(9, factors), 1, 0.9)[0];
}

TEST(Certify, NeedsEveryDifferenceToBePositiveTogether) {
  // Against one decision the margin of 1.5 deviations is enough, against eight independent ones
  // not.
  EXPECT_FALSE(leading_eight(1.5).certified);
  EXPECT_TRUE(certificates_of(pooled({-1.5}, {1}), library_of(1, {0, 1}), 1, 0.9)[0].certified);
}

TEST(Certify, NeedsTheLeadOfATwoSidedIntervalHoweverManyRivals) {
  const double z = normal_quantile(0.95);
  EXPECT_FALSE(leading_eight(z - 0.1).certified);
  EXPECT_GT(leading_eight(z - 0.1).regret_bound, 0.3);  // eight errors are larger than one
  EXPECT_TRUE(leading_eight(z + 0.1).certified);
  EXPECT_EQ(leading_eight(z + 0.1).regret_bound, 0);
}

// Where the truth is nearly a tie, most estimates choose a wrong decision. How many decisions there are must
// not matter.
TEST(Certify, SeldomCertifiesAWrongDecisionWhereverTheTruthIs) {
  constexpr int kRepeats = 1500, kFactors = 3;
  Rng rng(17);
  for (const std::size_t size : {3, 40}) {
    int wrong = 0;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      const FeasibleSet library = library_of(kFactors, normal_draws(kFactors * size, rng));
      std::vector<double> truth = normal_draws(kFactors, rng),
                          estimate = normal_draws(kFactors, rng);
      for (int j = 0; j < kFactors; ++j) estimate[j] += truth[j] *= 0.05;
      const Certificate made =
          certificates_of(pooled(estimate, {1, 0, 0, 0, 1, 0, 0, 0, 1}), library, 1, 0.9)[0];
      const auto best_under = [&](const std::vector<double>& w) {
        return decide(*pooled(w, {1, 1, 1}).map, {1}, library)[0].index;
      };
      wrong += made.certified && best_under(estimate) != best_under(truth) ? 1 : 0;
    }
    EXPECT_LT(wrong, 0.12 * kRepeats) << size << " decisions";
  }
}

// Two decisions on opposite sides, and one between them that is hardly better: most estimates choose a side, and
// a lead of one-sided intervals would certify a wrong one for each of both sides.
TEST(Certify, SeldomCertifiesOneOfTwoSides) {
  constexpr int kRepeats = 3000;
  const FeasibleSet library = library_of(2, {-1, 0, 0, 0.001, 1, 0});
  Rng rng(18);
  int wrong = 0, with_one_sided_leads = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<double> estimate = normal_draws(2, rng);
    estimate[1] += 0.01;  // the truth is (0, 0.01)
    wrong += certificates_of(pooled(estimate, {1, 0, 0, 1}), library, 1, 0.9)[0].certified;
    with_one_sided_leads += std::abs(estimate[0]) > normal_quantile(0.9);
  }
  EXPECT_LT(wrong, 0.12 * kRepeats);
  EXPECT_GT(with_one_sided_leads, 0.17 * kRepeats);
}

TEST(Certify, ADecisionThatIsTheSameDoesNotCount) {
  const Sure sure = pooled({5}, {1});
  EXPECT_TRUE(certificates_of(sure, library_of(1, {1, 0, 1}), 1, 0.9)[0].certified);
}

TEST(Certify, RivalsThatAreTheSameCountOnce) {
  const Sure sure = pooled({1.5}, {1});  // more than 1.28, less than 1.64
  const Certificate one = certificates_of(sure, library_of(1, {1, 0}), 1, 0.9)[0];
  const Certificate twice = certificates_of(sure, library_of(1, {1, 0, 0}), 1, 0.9)[0];
  EXPECT_TRUE(one.certified && twice.certified);
  EXPECT_EQ(one.confidence, twice.confidence);
  const Certificate two = certificates_of(sure, library_of(1, {1, 0, -0.1}), 1, 0.9)[0];
  EXPECT_FALSE(two.certified);
  EXPECT_GT(two.regret_bound, 0);
}

TEST(Certify, TheOnlyDecisionIsTheBest) {
  const Certificate only = certificates_of(pooled({5}, {1}), library_of(1, {1}), 1, 0.9)[0];
  EXPECT_TRUE(only.certified);
  EXPECT_EQ(only.regret_bound, 0);
  EXPECT_EQ(only.probability_optimal, 1);
}

TEST(Certify, OtherRanksAreNotTheBest) {
  const auto certificates = certificates_of(pooled({5}, {1}), library_of(1, {1, 0.2, 0}), 3, 0.9);
  EXPECT_TRUE(certificates[0].certified);
  EXPECT_FALSE(certificates[1].certified);
  EXPECT_GT(certificates[1].regret_bound, 5 * 0.8);
  EXPECT_GT(certificates[2].regret_bound, certificates[1].regret_bound);
}

TEST(Certify, TheMarginFormIsWeaker) {
  Rng rng(3);
  int certified = 0, by_margin = 0;
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Sure sure = pooled(normal_draws(3, rng), {0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2});
    const FeasibleSet library = library_of(3, normal_draws(60, rng));
    const std::vector<Decision> best = decide(*sure.map, {1}, library);
    const auto certificate = certify(sure.model, {1}, best, library, {.score_error = true});
    const bool safe = best[0].margin > 2 * certificate[0].score_error;
    EXPECT_TRUE(!safe || certificate[0].certified);
    certified += certificate[0].certified;
    by_margin += safe;
  }
  EXPECT_GT(certified, by_margin);
}

TEST(Certify, IsTheSameForAnyNumberOfThreadsAndKindOfTable) {
  Rng rng(4);
  const Sure sure = random_mixture_and_covariance(rng);
  const FeasibleSet library = library_of(3, normal_draws(3 * 37, rng));
  const std::vector<double> x = normal_draws(2 * 20, rng);
  const auto decisions = decide(*sure.map, {20, x}, library, {.top = 2});
  const auto once = certify(sure.model, {20, x}, decisions, library);
  const auto threaded = certify(sure.model, {20, x}, decisions, library, {.num_threads = 3});
  const std::vector<std::string> ids(20, "all");
  const auto listed = certify(sure.model, {20, x, ids}, decisions,
                              candidates_of(std::vector<std::string>(37, "all"), library));
  ASSERT_EQ(once.size(), 40);
  for (std::size_t i = 0; i < once.size(); ++i) {
    for (const auto& other : {threaded[i], listed[i]}) {
      EXPECT_EQ(once[i].certified, other.certified);
      EXPECT_EQ(once[i].regret_bound, other.regret_bound);
      EXPECT_EQ(once[i].expected_regret, other.expected_regret);
      EXPECT_EQ(once[i].probability_optimal, other.probability_optimal);
    }
  }
}

TEST(Certify, RegretIsCountedDrawByDraw) {
  // The same numbers from the draws themselves, written out.
  Rng rng(9);
  const Sure sure = random_mixture_and_covariance(rng);
  const FeasibleSet library = library_of(3, normal_draws(3 * 11, rng));
  const std::vector<double> x = normal_draws(2, rng);
  const auto best = decide(*sure.map, {1, x}, library);
  const auto certificate = certify(sure.model, {1, x}, best, library);
  std::vector<double> w(3), draws(sure.uncertainty->num_draws() * 3);
  sure.map->weights(x, w);
  sure.uncertainty->departures(x, draws);
  double regret = 0, optimal = 0;
  for (std::size_t b = 0; b < draws.size(); b += 3) {
    double most = 0;
    for (std::size_t d = 0; d < library.size(); ++d) {
      double ahead = 0;
      for (int j = 0; j < 3; ++j)
        ahead += (w[j] + draws[b + j]) *
                 (library.factors_of(d)[j] - library.factors_of(best[0].index)[j]);
      most = std::max(most, ahead);
    }
    regret += most / sure.uncertainty->num_draws();
    optimal += most <= 1e-12 ? 1.0 / sure.uncertainty->num_draws() : 0;
  }
  EXPECT_NEAR(certificate[0].expected_regret, regret, 1e-12);
  EXPECT_NEAR(certificate[0].probability_optimal, optimal, 1e-12);
}

TEST(Explain, WhatADecisionIsAheadByAddsUpToItsMargin) {
  Rng rng(5);
  const SoftMixture map = random_mixture(2, 3, 2, rng);
  const FeasibleSet library = library_of(3, normal_draws(3 * 12, rng));
  const std::vector<double> x = normal_draws(2 * 4, rng);
  const auto decisions = decide(map, {4, x}, library, {.top = 3});
  const auto ahead = explain_margin(map, x, decisions, library);
  const ExpertScores experts = explain_experts(map, x, decisions, library);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    EXPECT_NEAR(ahead[3 * i] + ahead[3 * i + 1] + ahead[3 * i + 2], decisions[i].margin, 1e-12);
    EXPECT_NEAR(experts.scores[2 * i] + experts.scores[2 * i + 1], decisions[i].score, 1e-12);
    EXPECT_NEAR(experts.shares[2 * i] + experts.shares[2 * i + 1], 1, 1e-12);
  }
}

TEST(Explain, TheOnlyDecisionIsAheadOfNone) {
  Rng rng(6);
  const SoftMixture map = random_mixture(2, 2, 2, rng);
  const FeasibleSet library = library_of(2, {1, 2});
  const std::vector<double> x = normal_draws(4, rng);
  const auto decisions = decide(map, {2, x}, library, {.top = 2});
  for (const double value : explain_margin(map, x, decisions, library))
    EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace otss
