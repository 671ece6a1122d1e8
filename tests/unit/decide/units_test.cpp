#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "otss/base/error.hpp"
#include "otss/decide/certify.hpp"
#include "otss/decide/decider.hpp"
#include "otss/decide/evaluate.hpp"
#include "otss/decide/predict.hpp"
#include "otss/model/unit_states.hpp"
#include "unit/decide/tables.hpp"
#include "unit/model/units/unit_fixture.hpp"

namespace otss {
namespace {

using testing::HasSubstr;

FeasibleSet random_library(std::size_t size, int num_factors) {
  Rng rng(5);
  return library_of(num_factors, normal_draws(size * num_factors, rng));
}

class DecideForUnits : public HistoryTest {
 protected:
  UnitStates learn(const Fitted& fitted, int units, int rows) {
    return update_units(UnitStates(fitted),
                        {.path = write_history("history.csv", fitted, units, 1, rows)},
                        {.unit = "who", .time = "t", .keep_rows = UpdateOptions::kAllRows});
  }
};

TEST_F(DecideForUnits, FindsTheBestDecisionUnderTheUnitsWeights) {
  const Fitted fitted(unit_model(3));
  const UnitStates states = learn(fitted, 60, 15);
  const FeasibleSet library = random_library(200, 3);
  std::vector<double> x(60);
  std::vector<UnitBelief> beliefs;
  for (std::size_t i = 0; i < 60; ++i) {
    x[i] = 0.05 * static_cast<double>(i) - 1;
    beliefs.push_back(states.belief(i));
  }
  std::vector<const UnitBelief*> units;
  for (std::size_t i = 0; i < 60; ++i) units.push_back(i % 3 == 0 ? nullptr : &beliefs[i]);
  const Contexts contexts{60, x, {}, units};
  const std::vector<Decision> found =
      decide(fitted.scorer(), contexts, library, {.num_threads = 2});
  std::vector<double> w(3);
  for (std::size_t i = 0; i < 60; ++i) {
    fitted.weights(std::span(x).subspan(i, 1), units[i], w);
    double best = -1e300;
    for (std::size_t d = 0; d < library.size(); ++d) {
      const auto z = library.factors_of(d);
      best = std::max(best, std::inner_product(z.begin(), z.end(), w.begin(), 0.0));
    }
    EXPECT_NEAR(found[i].score, best, 1e-12);
  }
  // The contributions of the experts and of the unit sum to the score.
  const ExpertScores experts = explain_experts(*fitted.mixture(), x, found, library);
  const std::vector<double> own = explain_unit(units, found, library);
  const std::vector<double> factors = explain(fitted.weight_map(), x, found, library, units);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_NEAR(experts.scores[2 * i] + experts.scores[2 * i + 1] + own[i], found[i].score, 1e-12);
    EXPECT_NEAR(factors[3 * i] + factors[3 * i + 1] + factors[3 * i + 2], found[i].score, 1e-12);
  }
}

TEST_F(DecideForUnits, RefusesAPrunedLibrary) {
  const Fitted fitted(unit_model(2));
  const UnitBelief belief = learn(fitted, 1, 5).belief(0);
  const std::vector<const UnitBelief*> units{&belief};
  const std::vector<double> x{0.0};
  const Decider pruned(fitted.scorer(), random_library(3000, 2), {});
  ASSERT_LT(pruned.num_live(), 3000U);
  try {
    pruned.decide({1, x, {}, units});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("DecideOptions::prune = false"));
  }
}

TEST_F(DecideForUnits, CertifiesAKnownUnitOnlyAsFarAsItIsKnown) {
  const Fitted fitted(unit_model(2));
  const FeasibleSet library = random_library(30, 2);
  const std::vector<double> x{0.0};
  const auto certificate = [&](const UnitBelief* unit) {
    const std::vector<const UnitBelief*> units{unit};
    const Contexts contexts{1, x, {}, units};
    const auto found = decide(fitted.scorer(), contexts, library);
    return certify(fitted, contexts, found, library, {.level = 0.9})[0];
  };
  const UnitBelief few = learn(fitted, 1, 2).belief(0);
  const UnitBelief many = learn(fitted, 1, 400).belief(0);
  // Few rows leave the unit's own weights uncertain, which the population's are not.
  EXPECT_GT(certificate(&few).regret_bound, certificate(nullptr).regret_bound);
  EXPECT_LT(certificate(&many).expected_regret, certificate(&few).expected_regret);
  EXPECT_GT(certificate(&many).probability_optimal, certificate(&few).probability_optimal);
}

TEST_F(DecideForUnits, PredictsAndEvaluatesEachRowFromStrictlyEarlierRows) {
  const Fitted fitted(unit_model(3));
  const UnitStates states = learn(fitted, 150, 20);
  const UnitColumns columns{&states, "who", "t"};
  const TableSource table{.path = write_history("test.csv", fitted, 150, 16, 20)};
  const Evaluation with = evaluate(fitted, table, {.units = columns});
  const Evaluation without = evaluate(fitted, table, {});
  EXPECT_LT(with.quality->log_loss, without.quality->log_loss - 0.01);
  // The first row of unit u0 in the table is row 16 of its history, so rows 1 to 15 count.
  const UnitStates early =
      update_units(UnitStates(fitted), {.path = write_history("early.csv", fitted, 150, 1, 15)},
                   {.unit = "who"});
  std::vector<double> means;
  predict(fitted, TableReader(fitted.encoder().as_trained(table)), {.units = columns},
          [&](const PredictedRows& rows) {
            means.insert(means.end(), rows.mean.begin(), rows.mean.end());
          });
  std::vector<double> of_early;
  predict(fitted, TableReader(fitted.encoder().as_trained(table)), {.units = {&early, "who"}},
          [&](const PredictedRows& rows) {
            of_early.insert(of_early.end(), rows.mean.begin(), rows.mean.end());
          });
  EXPECT_EQ(means[0], of_early[0]);
  EXPECT_NE(means[1], of_early[1]) << "row 17 also knows row 16";
}

TEST_F(DecideForUnits, EvaluatesNumbersWithWhatIsNotKnownAboutTheUnit) {
  const Fitted fitted(unit_model(1, OutputFamily::kGaussian));
  const UnitStates states = learn(fitted, 1, 3);
  const TableSource table{.path = write_history("test.csv", fitted, 1, 4, 4)};
  std::ifstream file(table.path);
  std::string header, who;
  std::getline(file, header);
  double time = 0, age = 0, z = 0, y = 0;
  char comma = ',';
  std::getline(file, who, ',');
  file >> time >> comma >> age >> comma >> z >> comma >> y;
  std::vector<double> x(1);
  fitted.encode({{"age", age}}, x);
  const UnitBelief belief = states.belief(0);
  for (const bool known : {true, false}) {
    const Evaluation found = evaluate(
        fitted, table, {.units = known ? UnitColumns{&states, "who", "t"} : UnitColumns{}});
    EXPECT_NEAR(found.quality->log_loss,
                fitted.log_loss(x, std::span(&z, 1), y, known ? &belief : nullptr), 1e-9);
    EXPECT_TRUE(found.quality_intervals->log_loss.lo <= found.quality->log_loss ||
                std::isnan(found.quality_intervals->log_loss.lo));
  }
}

}  // namespace
}  // namespace otss
