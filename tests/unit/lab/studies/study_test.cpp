#include "lab/studies/study.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.hpp"
#include "base/version.hpp"
#include "lab/studies/catalogue.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/output/markdown_table.hpp"
#include "lab/studies/output/present.hpp"
#include "lab/studies/output/seeds_file.hpp"
#include "otss/base/error.hpp"
#include "otss/base/process.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;
using testing::Not;

// A study that costs nothing: regret is a random number of setting and seed.
class ToyStudy : public testing::Test {
 protected:
  Study study() {
    Study study{.name = "toy", .title = "A toy"};
    study.about = "Made up.";
    study.specification = {{"made", "up"}};
    for (const char* name : {"one", "two"}) {
      study.settings.push_back({name,
                                std::string("setting ") + name,
                                [this, name](std::uint64_t seed) {
                                  if (seed == failing_seed_)
                                    throw Error(ErrorCode::kInterrupted, "stop");
                                  ++runs_;
                                  return results(name, seed);
                                },
                                {{"otss", {.regret = 0.5}}}});
    }
    study.present = present_methods;
    return study;
  }

  static std::vector<MethodResult> results(const std::string& name, std::uint64_t seed) {
    Rng rng(seed, name.size());
    MethodResult pooled{"pooled", {}}, otss{"otss", {}};
    pooled.measured.regret = rng.uniform();
    otss.measured.regret = rng.uniform() / 3;
    otss.measured.weight_mse = 1.0 / 3;
    return {pooled, otss};
  }

  StudyOptions options(int seeds, int threads = 1) {
    return {.seeds = seeds, .first_seed = 5, .threads = threads, .folder = folder_.path("out")};
  }

  std::string read(const std::string& name) {
    std::ifstream file(toy_ / name, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  // The table without the line that says how long the study took.
  std::string timeless_table() {
    const std::string table = read("table.md");
    const std::size_t line = table.find("The study took ");
    return table.substr(0, line) + table.substr(table.find('\n', line));
  }

  Folder folder_;
  std::filesystem::path toy_ = folder_.path("out/toy");
  std::atomic<int> runs_ = 0;
  std::uint64_t failing_seed_ = 0;
};

TEST_F(ToyStudy, WritesARowPerSettingSeedAndMethod) {
  run_study(study(), options(3));
  const std::string csv = read("results.csv");
  EXPECT_THAT(csv, testing::StartsWith("study,setting,seed,method,refit,regret,weight_mse,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 2 * 3 * 2);
  EXPECT_THAT(csv, HasSubstr("\ntoy,two,7,otss,false,"));
  EXPECT_THAT(csv, Not(HasSubstr("nan")));
  EXPECT_THAT(csv, Not(HasSubstr("seconds")));
}

TEST_F(ToyStudy, PutsThePapersNumberBesideOurs) {
  const StudyPage page = run_study(study(), options(4));
  EXPECT_EQ(page.table, read("table.md"));
  EXPECT_THAT(page.table, HasSubstr("paper: regret"));
  EXPECT_THAT(page.table, HasSubstr("0.500"));
  EXPECT_THAT(page.table, HasSubstr("4 seeds, and the first seed is 5"));
  EXPECT_THAT(read("regret.svg"), testing::StartsWith("<svg"));
  const Json json = Json::parse(read("results.json"));
  EXPECT_EQ(json["seeds"], 4);
  EXPECT_EQ(json["specification"]["made"], "up");
  EXPECT_EQ(json["settings"][0]["methods"][0]["paper"], nullptr);
  EXPECT_TRUE(json["settings"][0]["methods"][0]["regret"].contains("otss_minus_it"));
}

TEST_F(ToyStudy, GoesOnWhereItWasInterrupted) {
  run_study(study(), options(4));
  const std::string whole = read("results.csv");
  std::filesystem::remove_all(toy_);
  runs_ = 0;
  failing_seed_ = 7;
  EXPECT_THROW(run_study(study(), options(4)), Error);
  EXPECT_FALSE(std::filesystem::exists(toy_ / "results.csv"));
  const int before = runs_;
  EXPECT_EQ(before, 4);
  failing_seed_ = 0;
  run_study(study(), options(4));
  EXPECT_EQ(runs_, 8);
  EXPECT_EQ(read("results.csv"), whole);
}

TEST_F(ToyStudy, AddsSeedsToThoseThatAreThere) {
  run_study(study(), options(2));
  run_study(study(), options(3));
  EXPECT_EQ(runs_, 3 * 2);
}

TEST_F(ToyStudy, DropsALineThatACrashCutShort) {
  run_study(study(), options(2));
  const std::string whole = read("results.csv");
  const auto journal = toy_ / "journal.jsonl";
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) - 9);
  run_study(study(), options(2));
  EXPECT_EQ(runs_, 2 * 2 + 1);
  EXPECT_EQ(read("results.csv"), whole);
}

TEST_F(ToyStudy, DoesNotDependOnTheNumberOfThreads) {
  run_study(study(), options(6, 1));
  const std::string one = read("results.csv") + read("results.json") + timeless_table();
  std::filesystem::remove_all(toy_);
  run_study(study(), options(6, 3));
  EXPECT_EQ(read("results.csv") + read("results.json") + timeless_table(), one);
}

TEST_F(ToyStudy, SaysHowLongAllRunsTookAndWhere) {
  run_study(study(), options(2));
  SeedsFile seeds = read_seeds_file((toy_ / "seeds.csv.gz").string());
  for (auto& [key, unit] : seeds.units) {
    EXPECT_GE(unit.elapsed_seconds, 0);
    unit.cpu_seconds = 2.5;
    unit.elapsed_seconds = 1.25;
    for (MethodResult& result : unit.results) {
      result.made_by.machine = "a machine";
      result.made_by.kernels = "avx2";
    }
  }
  EXPECT_THAT(remake_study(study(), options(1), seeds).table,
              HasSubstr("The study took 10.0 CPU seconds, 5.0 seconds elapsed, on a machine "
                        "(avx2)."));
}

TEST_F(ToyStudy, ReplacesNoResultsOfAnotherSpecification) {
  run_study(study(), options(1));
  StudyOptions other = options(1);
  other.refit = true;
  try {
    run_study(study(), other);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("another specification"));
    EXPECT_THAT(error.what(), HasSubstr("-o"));
  }
}

TEST_F(ToyStudy, RefusesAJournalThatIsSomethingElse) {
  run_study(study(), options(1));
  const std::string whole = read("journal.jsonl");
  for (const char* line : {"not JSON\n", "{\"setting\": \"one\"}\n", "[1, 2]\n"}) {
    std::ofstream(toy_ / "journal.jsonl", std::ios::binary) << whole << line;
    EXPECT_THROW(run_study(study(), options(1)), Error) << line;
  }
}

TEST_F(ToyStudy, RefusesUnitsWithoutResultsOrOfOtherMethods) {
  run_study(study(), options(1));
  const std::string whole = read("journal.jsonl");
  for (const char* results : {"[]", "[{\"method\": \"otss\"}]", "{}", "3"}) {
    std::ofstream(toy_ / "journal.jsonl", std::ios::binary)
        << whole << R"({"setting": "one", "seed": 5, "results": )" << results << "}\n";
    EXPECT_THAT([&] { run_study(study(), options(1)); },
                testing::ThrowsMessage<Error>(HasSubstr("not a journal")))
        << results;
  }
}

TEST_F(ToyStudy, LeavesAFileThatIsNotAJournalAsItIs) {
  std::filesystem::create_directories(toy_);
  for (const std::string text : {"my notes", "my notes\n", "{\"study\": \"toy\"", "{}\n"}) {
    std::ofstream(toy_ / "journal.jsonl", std::ios::binary) << text;
    EXPECT_THAT([&] { run_study(study(), options(1)); },
                testing::ThrowsMessage<Error>(HasSubstr("not a journal")))
        << text;
    EXPECT_EQ(read("journal.jsonl"), text);
  }
}

TEST_F(ToyStudy, CompletesAFirstLineThatACrashCutShort) {
  run_study(study(), options(1));
  const std::string whole = read("journal.jsonl");
  std::filesystem::resize_file(toy_ / "journal.jsonl", 9);
  run_study(study(), options(1));
  const std::string first_line = whole.substr(0, whole.find('\n') + 1);
  EXPECT_THAT(read("journal.jsonl"), testing::StartsWith(first_line));
  EXPECT_EQ(std::ranges::count(read("journal.jsonl"), '\n'), std::ranges::count(whole, '\n'));
}

TEST_F(ToyStudy, IsWrittenByOneProcessAtATime) {
  run_study(study(), options(1));
  const int other = open((toy_ / "journal.jsonl").c_str(), O_RDONLY);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  EXPECT_THAT([&] { run_study(study(), options(2)); },
              testing::ThrowsMessage<Error>(HasSubstr("another otss study is writing")));
  close(other);
  run_study(study(), options(2));
}

TEST_F(ToyStudy, WritesSecondsOnlyWhereTheyAreWhatItIsAbout) {
  Study timed = study();
  timed.timed = true;
  run_study(timed, options(1));
  EXPECT_THAT(read("results.csv"), HasSubstr(",seconds\n"));
}

TEST_F(ToyStudy, RunsTheSettingsOfASeedTogetherIfTheyShareFits) {
  run_study(study(), options(3));
  const std::string apart = read("results.csv");
  std::filesystem::remove_all(toy_);
  Study together = study();
  for (StudySetting& setting : together.settings) setting.run = {};
  std::atomic<int> fits = 0;
  together.run_together = [&fits](std::uint64_t seed) {
    ++fits;
    return std::vector{results("one", seed), results("two", seed)};
  };
  run_study(together, options(2));
  EXPECT_EQ(fits, 2);
  run_study(together, options(3, 2));
  EXPECT_EQ(fits, 3);
  EXPECT_EQ(read("results.csv"), apart);
}

TEST_F(ToyStudy, CopiesTheResultsOfASettingWithTheSameLogs) {
  Study copying = study();
  copying.settings[1].same_as = 0;
  run_study(copying, options(3));
  EXPECT_EQ(runs_, 3);
  const std::string csv = read("results.csv");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 3 * 2 * 2);
  run_study(copying, options(3));
  EXPECT_EQ(runs_, 3);
}

TEST_F(ToyStudy, CanBeMadeAgainFromItsSeeds) {
  run_study(study(), options(6));
  const std::vector<std::string> names = {"table.md", "results.csv", "results.json", "regret.svg"};
  std::map<std::string, std::string> made;
  for (const std::string& name : names) made[name] = read(name);
  const SeedsFile seeds = read_seeds_file((toy_ / "seeds.csv.gz").string());
  EXPECT_EQ(seeds.units.size(), 12u);
  const MethodResult& first = seeds.units.begin()->second.results.front();
  EXPECT_EQ(first.made_by.version, kVersion);
  EXPECT_FALSE(first.made_by.machine.empty());
  EXPECT_EQ(first.made_by.kernels, instruction_set());
  const std::string bytes = read("seeds.csv.gz");
  std::filesystem::remove_all(toy_);
  runs_ = 0;
  remake_study(study(), {.folder = folder_.path("out")}, seeds);
  EXPECT_EQ(runs_, 0);
  for (const std::string& name : names) EXPECT_EQ(read(name), made[name]) << name;
  EXPECT_EQ(read("seeds.csv.gz"), bytes);
}

TEST_F(ToyStudy, FitsSomeMethodsAgainAndKeepsTheOthers) {
  run_study(study(), options(3));
  SeedsFile seeds = read_seeds_file((toy_ / "seeds.csv.gz").string());
  for (auto& [key, unit] : seeds.units) {
    for (MethodResult& result : unit.results) result.made_by = {"0.0.9", "an old machine", "avx2"};
  }
  Study changed = study();
  for (StudySetting& setting : changed.settings) {
    setting.run_some = [](std::uint64_t seed, const std::set<std::string>& methods) {
      EXPECT_EQ(methods, std::set<std::string>{"otss"});
      MethodResult otss{"otss", {}};
      otss.measured.regret = static_cast<double>(seed);
      return std::vector<MethodResult>{otss};
    };
  }
  std::filesystem::remove_all(toy_);
  run_again(changed, {.folder = folder_.path("out"), .again = {"otss"}}, seeds);
  const SeedsFile again = read_seeds_file((toy_ / "seeds.csv.gz").string());
  for (const auto& [key, unit] : again.units) {
    const std::vector<MethodResult>& before = seeds.units.at(key).results;
    EXPECT_EQ(unit.results[0].measured.regret, before[0].measured.regret);
    EXPECT_EQ(unit.results[0].made_by.machine, "an old machine");
    EXPECT_EQ(unit.results[1].measured.regret, static_cast<double>(key.second));
    EXPECT_NE(unit.results[1].made_by.machine, "an old machine");
  }
  EXPECT_THAT(read("table.md"), HasSubstr("an old machine ("));
  EXPECT_THAT(read("table.md"), HasSubstr(std::string("version of otss is 0.0.9 and ") + kVersion));
  // The same call continues; a call for other methods, or without --again, is another run.
  run_again(changed, {.folder = folder_.path("out"), .again = {"otss"}}, seeds);
  const auto another = testing::ThrowsMessage<Error>(HasSubstr("another specification"));
  EXPECT_THAT(
      [&] { run_again(changed, {.folder = folder_.path("out"), .again = {"pooled"}}, seeds); },
      another);
  EXPECT_THAT([&] { run_study(study(), options(3)); }, another);
}

TEST_F(ToyStudy, FitsOnlyMethodsAgainThatTheFileHas) {
  run_study(study(), options(1));
  const SeedsFile seeds = read_seeds_file((toy_ / "seeds.csv.gz").string());
  std::filesystem::remove_all(toy_);
  StudyOptions wanted{.folder = folder_.path("out"), .again = {"otss"}};
  EXPECT_THAT([&] { run_again(study(), wanted, seeds); },
              testing::ThrowsMessage<Error>(HasSubstr("cannot be fitted one by one")));
  Study changed = study();
  changed.settings.front().run_some = [](std::uint64_t, const std::set<std::string>&) {
    return std::vector<MethodResult>{};
  };
  EXPECT_THAT([&] { run_again(changed, wanted, seeds); },
              testing::ThrowsMessage<Error>(HasSubstr("'otss' is not fitted by itself")));
  wanted.again = {"ots"};
  EXPECT_THAT(
      [&] { run_again(changed, wanted, seeds); },
      testing::ThrowsMessage<Error>(HasSubstr("no method 'ots'; its methods are pooled, otss")));
}

TEST_F(ToyStudy, IsNotMadeFromSeedsOfAnotherStudyOrWithGaps) {
  run_study(study(), options(2));
  SeedsFile seeds = read_seeds_file((toy_ / "seeds.csv.gz").string());
  Study other = study();
  other.name = "other";
  EXPECT_THAT([&] { remake_study(other, options(1), seeds); },
              testing::ThrowsMessage<Error>(HasSubstr("results of the study 'toy'")));
  seeds.units.erase({"two", 6});
  EXPECT_THAT([&] { remake_study(study(), options(1), seeds); },
              testing::ThrowsMessage<Error>(HasSubstr("seed 6 of the setting 'two' is missing")));
  seeds.units[{"two", 6}] = {};
  EXPECT_THAT([&] { remake_study(study(), options(1), seeds); },
              testing::ThrowsMessage<Error>(HasSubstr("seed 6 of the setting 'two' is missing")));
}

TEST_F(ToyStudy, SaysHowManyIntervalsWouldExcludeZeroByChance) {
  EXPECT_THAT(run_study(study(), options(4)).table, HasSubstr("fewer than 5 seeds"));
  EXPECT_THAT(run_study(study(), options(6)).table,
              HasSubstr("if all methods were equal, about 1 would by chance"));
}

TEST(StudyMethods, AreNamedAfterTheMethodAndItsTreatment) {
  EXPECT_EQ(both_treatments({"pooled"}, {"em", "otss"}),
            (std::vector<std::string>{"pooled", "em", "otss-pick", "em-average", "otss"}));
  EXPECT_EQ(method_title("low-rank-average"), "low-rank contextual");
  EXPECT_EQ(full_title("low-rank-average"), "low-rank contextual, average");
  EXPECT_EQ(full_title("otss-paper-training"), "OTSS, paper's recipe, training rows, pick");
  EXPECT_EQ(full_title("em-known-outcome"), "EM mixture regression, given the outcome, pick");
  EXPECT_EQ(method_treatment("otss-paper-8"), Treatment::kPick);
  EXPECT_EQ(method_treatment("otss-8"), Treatment::kAverage);
  EXPECT_EQ(method_treatment("oracle-gate"), std::nullopt);
  const Entrant recipe = study_entrant("otss-paper-training", 3);
  EXPECT_TRUE(recipe.training_rows_only);
  EXPECT_EQ(recipe.options.estimator, Estimator::kPaper);
  EXPECT_EQ(study_entrant("em-average", 3).options.experts.value, 3);
  EXPECT_EQ(study_entrant("em-average", 3).treatment, Treatment::kAverage);
  EXPECT_TRUE(study_entrant("auto", 3).options.experts.is_auto());
}

TEST(StudyMethods, AreComparedWithOtssOfTheSameTreatment) {
  Contest contest;
  contest.names = {"pooled", "em", "em-average", "otss-pick", "otss", "oracle-gate"};
  const auto reference = [&](std::size_t name) {
    return contest.names[even_reference(contest, "otss", name)];
  };
  EXPECT_EQ(reference(0), "otss");
  EXPECT_EQ(reference(1), "otss-pick");
  EXPECT_EQ(reference(2), "otss");
  EXPECT_EQ(reference(3), "otss-pick");
  EXPECT_EQ(reference(5), "otss");
}

TEST(MarkdownTable, AlignsAndLeavesOutEmptyColumns) {
  EXPECT_EQ(markdown_table({"method", "none", "τ"}, {{"a", "", "1.25"}, {"long name", "", "±2"}}),
            "| method    |    τ |\n"
            "|-----------|-----:|\n"
            "| a         | 1.25 |\n"
            "| long name |   ±2 |\n");
}

// The results of two comparison methods, OTSS and auto in each of three worlds.
Contest three_worlds() {
  Contest contest{.first_seed = 7000};  // truths: mixture, linear map, regions
  const double regrets[3][4] = {{3, 2, 1, 1}, {2, 4, 3, 3}, {5, 5, 5, 5}};
  const double losses[3][2] = {{.6, .5}, {.7, .6}, {.5, .5}};
  for (int world = 0; world < 3; ++world) {
    std::vector<MethodResult> results;
    for (const char* name : {"pooled", "em-average", "otss", "auto"}) {
      results.push_back({name, {}});
      results.back().measured.regret = regrets[world][results.size() - 1];
      results.back().measured.log_loss =
          results.size() <= 2 ? losses[world][results.size() - 1] : 0.1;
    }
    contest.add(results);
  }
  return contest;
}

TEST(WorldsStudy, CountsWhoIsBestAndSumsWhatAPickByLossWouldHave) {
  const Study study = make_study("worlds", true, "");
  const StudyPage page = study.present(study, {three_worlds()});
  // EM is picked in the first two worlds, pooled in the third: 2 + 4 + 5. With hindsight 2 + 2 + 5.
  EXPECT_THAT(page.table, HasSubstr("on the test rows: 11.000 (with hindsight, the one with the "
                                    "lowest regret: 9.000)"));
  EXPECT_THAT(page.table, HasSubstr("auto: 9.000, which is 0.818 of it; mean difference -0.6667"));
  // auto is best in the first world by 1, and shares the third with the two others.
  EXPECT_THAT(page.table, HasSubstr("|  3.000 |                               0.444 |"));
  EXPECT_THAT(page.table, testing::ContainsRegex("linear-map +\\| +1 \\| +2.000 \\| +4.000"));
  ASSERT_EQ(page.figures.size(), 1u);
  EXPECT_THAT(render_svg(page.figures.front().figure), HasSubstr("How often it is best"));
}

TEST(Catalogue, HasEveryStudy) {
  EXPECT_THAT(study_names(), testing::UnorderedElementsAre(
                                 "panel-a", "panel-b", "sweeps", "experts", "gates", "runtime",
                                 "worlds", "nuisance", "rates", "rates-learned", "panel", "losses",
                                 "coverage", "journey", "journey-sweeps"));
  for (const std::string& name : study_names()) {
    const Study study = make_study(name, false, "");
    EXPECT_EQ(study.name, name);
    std::set<std::string> settings;
    for (const StudySetting& setting : study.settings) settings.insert(setting.name);
    EXPECT_EQ(settings.size(), study.settings.size()) << name << ": two settings share a name";
  }
}

TEST(Catalogue, RunsWhatAllSweepsHaveOnce) {
  const auto copies = [](const char* name) {
    std::vector<std::string> pairs;
    const Study study = make_study(name, true, "");
    for (const StudySetting& setting : study.settings) {
      if (setting.same_as)
        pairs.push_back(setting.name + " is " + study.settings[*setting.same_as].name);
    }
    return pairs;
  };
  EXPECT_THAT(copies("sweeps"),
              testing::ElementsAre("tau=1.2 is n=5000", "nuisance=0.5 is n=5000"));
  EXPECT_THAT(copies("nuisance"),
              testing::ElementsAre("correlation=0 is columns=20", "log-sd=0 is columns=20"));
  EXPECT_THAT(copies("journey-sweeps"), testing::ElementsAre("logging=1 is tau=1.2"));
}

TEST(Catalogue, MakesCoverageWithARetailRowIfTheFileHasOne) {
  EXPECT_EQ(make_study("coverage", false, "").settings.size(), 5u);
  const Study study = make_study("coverage", false, "", {"panel-a", "retail"});
  EXPECT_EQ(study.settings.back().name, "retail");
}

}  // namespace
}  // namespace otss
