#include "model/fitted_parts.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/decide/policy_value.hpp"
#include "otss/model/training_table.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::AllOf;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

// A gaussian model whose mean is 1 + x + 2 z.
Fitted model(FitReport report = {}, std::string centered_by = "") {
  Fitted::Parts parts;
  parts.method = Method::kPooled;
  parts.estimator = Estimator::kMap;
  parts.family = OutputFamily::kGaussian;
  parts.encoder.contexts = {{.name = "x", .center = 0, .scale = 1}};
  parts.encoder.factors = {{.name = "z"}};
  parts.roles = {.contexts = {"x"}, .factors = {"z"}, .outcome = "y"};
  parts.roles.centered_by = std::move(centered_by);
  parts.scorer = std::make_shared<SoftMixture>(
      LinearGate(1, std::vector<double>{0}, std::vector<double>{0}), 1, std::vector<double>{2});
  parts.baseline = {.intercept = 1, .slopes = {1}, .expert_intercepts = {0}};
  parts.report = std::move(report);
  return Fitted(std::move(parts));
}

const PolicyColumns kColumns{.decision = "d", .propensity = "p"};
const FeasibleSet kLibrary = FeasibleSet::of_library({"low", "high", "twin"}, 1, {0.5, 3, 3});
const char* const kRows = "x,d,p,y\n1,low,0.5,4\n2,high,0.25,9\n3,twin,0.25,8\n";

TEST(PolicyLog, HoldsWhatTheModelWouldHaveDone) {
  const Folder folder;
  const TableReader reader({folder.write("log.csv", kRows), ""});
  const PolicyLog log = read_policy_log(reader, model(), kColumns, kLibrary);
  EXPECT_THAT(log.outcomes, ElementsAre(4, 9, 8));
  EXPECT_THAT(log.propensities, ElementsAre(0.5, 0.25, 0.25));
  EXPECT_THAT(log.agrees, ElementsAre(0, 1, 0));  // of twins the earlier is chosen
  EXPECT_THAT(log.predicted_logged, ElementsAre(DoubleEq(3), DoubleEq(9), DoubleEq(10)));
  EXPECT_THAT(log.predicted_chosen, ElementsAre(DoubleEq(8), DoubleEq(9), DoubleEq(10)));
  EXPECT_THAT(log.chosen_was_logged, ElementsAre(1, 1, 1));
}

TEST(PolicyLog, ChoosesAmongTheCandidatesOfEachContext) {
  const Folder folder;
  const TableReader reader({folder.write("log.csv",
                                         "who,x,d,p,y\na,1,low,1,4\n"
                                         "b,2,high,1,9\n"),
                            ""});
  const FeasibleSet candidates =
      FeasibleSet::of_candidates(std::vector<std::string>{"a", "b", "b"}, {"low", "high", "twin"},
                                 1, {0.5, 3, 3}, "offers.csv", "who");
  const PolicyLog log = read_policy_log(reader, model(), kColumns, candidates);
  EXPECT_THAT(log.agrees, ElementsAre(1, 1));
  EXPECT_THAT(log.predicted_chosen, ElementsAre(DoubleEq(3), DoubleEq(9)));
  EXPECT_THAT(log.chosen_was_logged, testing::IsEmpty());
}

TEST(PolicyLog, CountsCentredFactorsFromTheirCentres) {
  const Folder folder;
  const TableReader reader({folder.write("log.csv", "who,x,d,p,y\nb,2,high,1,9\n"), ""});
  const std::string offers = folder.write("offers.csv", "who,id,z\nb,high,3\nb,low,1\n");
  const FeasibleSet candidates = read_candidates(offers, "who", "id", {"z"});
  const Fitted centered = model({}, "who");
  const PolicyLog log = read_policy_log(reader, centered, kColumns, candidates);
  EXPECT_THAT(log.predicted_logged, ElementsAre(DoubleEq(1 + 2 + 2 * (3 - 2))));
  EXPECT_THAT(error_of([&] { read_policy_log(reader, centered, kColumns, kLibrary); }),
              HasSubstr("--candidates CAND --context-id who"));
}

TEST(PolicyLog, RefusesFactorsThatAreNotThoseOfTheDecision) {
  const Folder folder;
  const std::string path = folder.write("log.csv", "x,z,d,p,y\n1,0.5,low,1,4\n2,2.9,high,1,9\n");
  const TableReader reader({path, ""});
  EXPECT_THAT(
      error_of([&] { read_policy_log(reader, model(), kColumns, kLibrary); }),
      AllOf(HasSubstr("row 2: column 'z' is 2.9"), HasSubstr("give decision 'high' the value 3")));
}

TEST(TrainingTable, IsRecognisedByItsRows) {
  const Folder folder;
  const std::string text = "x,z,y,more\n1,0,4,a\n2,1,9,b\n3,1,8,b\n5,0,7,a\n";
  const std::string path = folder.write("log.csv", text);
  const LoggedData log = read_log(path, model().roles(), OutcomeKind::kReal);
  const Fitted fitted = model({.data = FittedData{log.num_rows(), log.fingerprint()}});
  TableReader same({folder.convert(path, "log.parquet"), ""});
  EXPECT_TRUE(is_training_table(fitted, same));
  TableReader shorter({path, "SELECT * FROM t LIMIT 3"});
  EXPECT_FALSE(is_training_table(fitted, shorter));
  TableReader without({path, "SELECT x, y FROM t"});
  EXPECT_FALSE(is_training_table(fitted, without));
}

// The fingerprint is what otss fit wrote into a model of file version 1.
TEST(TrainingTable, IsRecognisedByAModelOfVersion1) {
  const Folder folder;
  TableReader reader({folder.write("log.csv", "x,z,y\n1,0,4\n2,1,9\n3,1,8\n5,0,7\n"), ""});
  FitReport report;
  report.data = {4, "4dc53388267c1ae7"};
  EXPECT_TRUE(is_training_table(model(report), reader));
}

TEST(TrainingTable, IsUnknownToAModelWithoutAFingerprint) {
  const Folder folder;
  TableReader reader({folder.write("log.csv", "x,z,y\n1,0,4\n"), ""});
  EXPECT_FALSE(is_training_table(model(), reader));
}

}  // namespace
}  // namespace otss
