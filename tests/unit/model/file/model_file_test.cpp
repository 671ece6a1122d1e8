#include "otss/model/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/json.hpp"
#include "base/random.hpp"
#include "model/fitted_parts.hpp"
#include "model/maps/quadratic.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;

using Scorers =
    std::function<AnyScorer(int p, const std::function<std::vector<double>(std::size_t)>& draw)>;

AnyScorer mixture_of_three(int p, const std::function<std::vector<double>(std::size_t)>& draw) {
  return std::make_shared<SoftMixture>(LinearGate(p, draw(3 * p), draw(3)), 2, draw(6));
}

Fitted example(std::uint64_t seed = 1, Method method = Method::kOtss,
               const Scorers& scorer = mixture_of_three) {
  Rng rng(seed);
  const auto draw = [&](std::size_t count) {
    std::vector<double> values(count);
    for (double& v : values) v = rng.normal() * std::pow(10.0, rng.uniform(-6, 6));
    return values;
  };
  Fitted::Parts parts;
  parts.method = method;
  parts.estimator = Estimator::kMap;
  parts.family = OutputFamily::kBernoulli;
  parts.encoder.contexts.push_back({.name = "age",
                                    .center = 41.3,
                                    .scale = 1.0 / 3,
                                    .has_missing = true,
                                    .missing_frequency = 0.1,
                                    .type = ValueType::kWholeNumber,
                                    .range = ValueRange{18, 1.0 / 3 + 80}});
  parts.encoder.contexts.push_back({.name = "region",
                                    .kind = ColumnKind::kText,
                                    .levels = {"north", "süd \"quoted\""},
                                    .level_frequencies = {0.25, 0.75},
                                    .type = ValueType::kText});
  parts.encoder.reading.missing = {"na", "?"};
  parts.encoder.factors = {{"price", 1.5, 2}, {"health", 0.1, 0.3}};
  parts.roles = {.contexts = {"age", "region"}, .factors = {"price", "health"}, .outcome = "y"};
  const int p = parts.encoder.num_encoded();
  parts.scorer = scorer(p, draw);
  const auto mixture = as_soft_mixture(parts.scorer);
  const bool quadratic = mixture != nullptr && mixture->gate_kind() == GateKind::kQuadratic;
  const bool average = mixture != nullptr && mixture->gate_kind() == GateKind::kAverage;
  if (average && method == Method::kOtss) parts.estimator = Estimator::kBayes;
  parts.mixes_probabilities = method == Method::kEm;
  parts.baseline = {rng.normal(), draw(quadratic ? num_quadratic_columns(p) : p),
                    draw(mixture != nullptr ? mixture->num_experts() : 0)};
  parts.report.software = "test";
  parts.report.options = {{"seed", 1}};
  return Fitted(std::move(parts));
}

std::string refusal(const std::string& text) {
  try {
    model_from_text(text, "m.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInput);
    return error.what();
  }
  return "accepted";
}

// The example with `change` applied and a checksum that matches again.
std::string forged(const std::function<void(Json&)>& change) {
  Json document = Json::parse(model_to_text(example()));
  change(document);
  document.erase("checksum");
  document["checksum"] = sha256_hex(document.dump());
  return document.dump();
}

TEST(ModelFile, ChangesNoWeightByASingleBit) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Fitted before = example(seed);
    const Fitted after = model_from_text(model_to_text(before), "m.json");
    Rng rng(seed, 1);
    std::vector<double> x(before.num_contexts());
    std::vector<double> w(2);
    std::vector<double> v(2);
    for (double& entry : x) entry = 1e-5 * rng.normal();
    before.weights(x, w);
    after.weights(x, v);
    EXPECT_EQ(w, v);
    EXPECT_EQ(before.predictor(x, w), after.predictor(x, w));
    EXPECT_EQ(before.encoder(), after.encoder());
    EXPECT_EQ(model_checksum(before), model_checksum(after));
  }
}

TEST(ModelFile, KeepsEveryKindOfModelToTheBit) {
  const auto behind = [](auto make_gate) {
    return [make_gate](int p, const auto& draw) {
      auto gate = make_gate(p, draw);
      const int experts = gate.num_experts();
      return std::make_shared<SoftMixture>(std::move(gate), 2, draw(2 * experts));
    };
  };
  const auto network = [](int inputs, int outputs, const auto& draw) {
    return Network{inputs, outputs, draw(4 * inputs), draw(4), draw(4 * outputs), draw(outputs)};
  };
  const std::vector<std::pair<Method, Scorers>> kinds = {
      {Method::kOtss, behind([](int p, const auto& draw) {
         const auto columns = static_cast<int>(num_quadratic_columns(p));
         return QuadraticGate(p, LinearGate(columns, draw(2 * columns), draw(2)));
       })},
      {Method::kOtss,
       behind([&](int p, const auto& draw) { return NetworkGate(network(p, 3, draw)); })},
      {Method::kOtss, behind([](int p, const auto& draw) {
         return AverageGate(std::vector<AverageGate::Member>{
             {.3, LinearGate(p, draw(2 * p), draw(2))}, {.7, LinearGate(p, draw(p), draw(1))}});
       })},
      {Method::kHard, behind([](int p, const auto& draw) {
         return AverageGate(
             std::vector<AverageGate::Member>{{.2, OneHotGate(LinearGate(p, draw(p), draw(1)))},
                                              {.3, CenterGate(p, draw(p), 1)},
                                              {.5, LinearGate(p, draw(p), draw(1))}});
       })},
      {Method::kOtss, behind([&](int p, const auto& draw) {
         return AverageGate(std::vector<AverageGate::Member>{
             {.5, NetworkGate(network(p, 2, draw))}, {.5, LinearGate(p, draw(p), draw(1))}});
       })},
      {Method::kHard, behind([](int p, const auto& draw) {
         return OneHotGate(LinearGate(p, draw(3 * p), draw(3)));
       })},
      {Method::kCluster,
       behind([](int p, const auto& draw) { return CenterGate(p, draw(3 * p), 3); })},
      {Method::kEm, mixture_of_three},
      {Method::kLowRank,
       [](int p, const auto& draw) {
         return std::make_shared<LinearWeights>(p, draw(2 * p), draw(2));
       }},
      {Method::kMlp, [&](int p, const auto& draw) {
         return std::make_shared<NetworkWeights>(network(p, 2, draw));
       }}};
  for (const auto& [method, scorer] : kinds) {
    const Fitted before = example(7, method, scorer);
    const Fitted after = model_from_text(model_to_text(before), "m.json");
    EXPECT_EQ(model_checksum(before), model_checksum(after)) << word(method);
    std::vector<double> x(before.num_contexts(), 1e-3);
    std::vector<double> w(2), v(2);
    before.weights(x, w);
    after.weights(x, v);
    EXPECT_EQ(w, v) << word(method);
    EXPECT_EQ(before.predictor(x, w), after.predictor(x, w)) << word(method);
  }
}

TEST(ModelFile, RefusesAModelOfAnotherKindThanItsMethod) {
  EXPECT_THAT(refusal(forged([](Json& d) { d["method"] = "cluster"; })),
              HasSubstr("'gate' is of a kind that the model's method does not have"));
  EXPECT_THAT(refusal(forged([](Json& d) { d["method"] = "forest"; })),
              HasSubstr("'method' has a value that this version of otss does not know"));
}

TEST(ModelFile, SavesAndLoads) {
  const std::string path = testing::TempDir() + "/model_file_test.json";
  save_model(example(), path);
  EXPECT_EQ(model_to_text(load_model(path)), model_to_text(example()));
  std::filesystem::remove(path);
}

TEST(ModelFile, RefusesAFileThatIsCutAnywhere) {
  const std::string text = model_to_text(example());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    EXPECT_THAT(refusal(text.substr(0, length)), HasSubstr("m.json: ")) << length;
  }
}

TEST(ModelFile, RefusesAnAlteredNumber) {
  std::string text = model_to_text(example());
  text.replace(text.find("41.3"), 4, "41.4");
  EXPECT_THAT(refusal(text), HasSubstr("checksum does not match"));
}

TEST(ModelFile, RefusesWhatItDoesNotUnderstand) {
  EXPECT_THAT(refusal(forged([](Json& d) { d["version"] = 3; })),
              HasSubstr("version 3, but this program reads versions 1 to 2"));
  EXPECT_THAT(refusal(forged([](Json& d) { d["format"] = "onnx"; })),
              HasSubstr("not an otss model"));
  EXPECT_THAT(refusal(forged([](Json& d) { d["extra"] = 1; })), HasSubstr("'extra' is unknown"));
  EXPECT_THAT(refusal(forged([](Json& d) { d["gate"]["kind"] = "tree"; })),
              HasSubstr("'gate' is of a kind that the model's method does not have"));
  EXPECT_THAT(refusal("[1,2]"), HasSubstr("not an otss model"));
  EXPECT_THAT(refusal("PK\x03\x04"), HasSubstr("not a complete JSON document"));
}

TEST(ModelFile, RefusesSizesThatDoNotMatch) {
  EXPECT_THAT(refusal(forged([](Json& d) { d["experts"].erase(0); })),
              HasSubstr("'experts' has another number of experts than the gate"));
  EXPECT_THAT(refusal(forged([](Json& d) { d["gate"]["slopes"][1].erase(0); })),
              HasSubstr("'slopes'"));
  EXPECT_THAT(refusal(forged([](Json& d) { d["baseline"]["slopes"].push_back(1.0); })),
              HasSubstr("baseline"));
  EXPECT_THAT(refusal(forged([](Json& d) { d["experts"][0].erase("price"); })),
              HasSubstr("'price' is missing"));
}

TEST(ModelFile, RefusesNumbersThatAreNone) {
  EXPECT_THAT(refusal(forged([](Json& d) { d["baseline"]["intercept"] = nullptr; })),
              HasSubstr("not a finite number"));
  EXPECT_THAT(refusal(forged([](Json& d) { d["experts"][0]["price"] = "1"; })),
              HasSubstr("not a finite number"));
  std::string text = model_to_text(example());
  text.replace(text.find("41.3"), 4, "1e999");
  EXPECT_NE(refusal(text), "accepted");
}

// The example with an uncertainty of its weights.
Fitted unsure_example(const std::string& kind) {
  Fitted::Parts parts;
  const Fitted sure = example();
  parts.method = Method::kOtss;
  parts.estimator = kind == "draws" ? Estimator::kBayes : Estimator::kMap;
  parts.family = OutputFamily::kBernoulli;
  parts.encoder = sure.encoder();
  parts.roles = sure.roles();
  const auto mixture = std::make_shared<SoftMixture>(as_soft_mixture(sure.parts().scorer)->gate(),
                                                     2, std::vector<double>{1, 2, -1, 3, 0.5, 0.1});
  parts.scorer = mixture;
  parts.baseline = sure.baseline();
  parts.report = sure.report();
  const MixtureSize size{sure.num_contexts(), 2, 3};
  if (kind == "normal") {
    std::vector<double> factor(size.size() * size.size(), 0.0);
    for (std::size_t i = 0; i < size.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) factor[i * size.size() + j] = 1.0 / (1 + i + 3 * j);
    }
    parts.uncertainty = std::make_shared<NormalUncertainty>(
        mixture, NormalUncertainty::Factor{factor, static_cast<int>(size.size())},
        NormalUncertainty::Factor{
            std::vector<double>(size.baseline_size() * (size.size() + 1), 0.125),
            static_cast<int>(size.size()) + 1});
  } else {
    std::vector<double> first(size.size(), 0.25), second(size.size(), -1.0 / 3);
    parts.uncertainty = std::make_shared<DrawnUncertainty>(
        size.num_columns, 2, false,
        std::vector<DrawnUncertainty::Draw>{
            {3, 0, first, std::vector<double>(size.baseline_size(), 0.5)},
            {3, 0, second, std::vector<double>(size.baseline_size(), 0.75)},
            {1, 4, {1, 2}, std::vector<double>(size.num_columns + 1, -1)},
            {1, 4, {3, 5}, std::vector<double>(size.num_columns + 1, -2)}},
        1.5);
  }
  return Fitted(std::move(parts));
}

TEST(ModelFile, KeepsUncertaintyToTheBit) {
  for (const char* kind : {"normal", "draws"}) {
    const Fitted before = unsure_example(kind);
    const Fitted after = model_from_text(model_to_text(before), "m.json");
    EXPECT_EQ(model_checksum(before), model_checksum(after));
    const std::vector<double> x(before.num_contexts(), 0.3);
    std::vector<double> lo(2), hi(2), lo_after(2), hi_after(2);
    for (const Coverage coverage : {Coverage::kEachFactor, Coverage::kAllFactors}) {
      before.intervals(x, 0.9, lo, hi, coverage);
      after.intervals(x, 0.9, lo_after, hi_after, coverage);
      EXPECT_EQ(lo, lo_after) << kind;
      EXPECT_EQ(hi, hi_after) << kind;
    }
    const std::vector<double> z{0.5, -2};
    ASSERT_TRUE(after.has_mean_intervals());
    const ExpertEffects effects{{0.5, 0, 1}, {0.3, 0.3, 0.4}};
    const Bounds eta = before.uncertainty().predictor_interval(x, z, effects, 0.9);
    const Bounds eta_after = after.uncertainty().predictor_interval(x, z, effects, 0.9);
    EXPECT_EQ(eta.lo, eta_after.lo) << kind;
    EXPECT_EQ(eta.hi, eta_after.hi) << kind;
    EXPECT_LT(eta.lo, eta.hi) << kind;
  }
}

TEST(ModelFile, RefusesDrawsOfAMixtureOfProbabilities) {
  Json document = Json::parse(model_to_text(unsure_example("draws")));
  document["mixes_probabilities"] = true;
  document.erase("checksum");
  document["checksum"] = sha256_hex(document.dump());
  EXPECT_THAT(refusal(document.dump()), HasSubstr("has draws, but a model that mixes"));
}

TEST(ModelFile, LoadsAModelWithoutUncertainty) {
  const Fitted fitted = model_from_text(model_to_text(example()), "m.json");
  EXPECT_FALSE(fitted.has_uncertainty());
  EXPECT_THROW(fitted.uncertainty(), Error);
}

TEST(ModelFile, RefusesUncertaintyThatDoesNotFitTheModel) {
  const auto with = [](const char* kind, const std::function<void(Json&)>& change) {
    Json document = Json::parse(model_to_text(unsure_example(kind)));
    change(document["uncertainty"]);
    document.erase("checksum");
    document["checksum"] = sha256_hex(document.dump());
    return refusal(document.dump());
  };
  EXPECT_THAT(with("normal", [](Json& u) { u["kind"] = "guess"; }),
              HasSubstr("'kind' has a value that this version of otss does not know"));
  EXPECT_THAT(with("normal", [](Json& u) { u["extra"] = 1; }), HasSubstr("'extra' is unknown"));
  EXPECT_THAT(with("normal", [](Json& u) { u = 3; }), HasSubstr("this value is not a JSON object"));
  EXPECT_THAT(with("normal", [](Json& u) { u["factor"].erase(0); }),
              HasSubstr("'factor' does not have"));
  EXPECT_THAT(with("normal", [](Json& u) { u["factor"][0][0] = "1"; }),
              HasSubstr("not a finite number"));
  EXPECT_THAT(with("normal", [](Json& u) { u["factor"][0][0] = 1e80; }),
              HasSubstr("outside -1e60 to 1e60"));
  EXPECT_THAT(with("normal", [](Json& u) { u["factor"][0] = std::vector<double>(5000, 1.0); }),
              HasSubstr("too long"));
  EXPECT_THAT(with("draws", [](Json& u) { u["draws"] = Json::array(); }), HasSubstr("'draws'"));
  EXPECT_THAT(with("draws", [](Json& u) { u["draws"][0].erase(0); }),
              HasSubstr("does not match any number of experts"));
  EXPECT_THAT(with("draws", [](Json& u) { u["draws"][0] = Json::array(); }),
              HasSubstr("does not match any number of experts"));
  for (const Json& counts : {Json{2}, Json{2, 3}, Json{2, 2, 1}, Json{0, 4}, Json{1.5, 2.5}}) {
    EXPECT_THAT(with("draws", [&](Json& u) { u["posteriors"] = counts; }),
                HasSubstr("'posteriors' does not add up"));
  }
  EXPECT_THAT(with("draws", [](Json& u) { u["spread"] = -1; }), HasSubstr("'spread'"));
  EXPECT_THAT(with("draws", [](Json& u) { u["gate"] = "mlp"; }),
              HasSubstr("'gate' has a value that this version of otss does not know"));
  const std::string one_hot = [&] {
    Json document =
        Json::parse(model_to_text(example(7, Method::kHard, [](int p, const auto& draw) {
          return std::make_shared<SoftMixture>(OneHotGate(LinearGate(p, draw(3 * p), draw(3))), 2,
                                               draw(6));
        })));
    document["uncertainty"] = {{"kind", "normal"}, {"factor", Json::array()}};
    document.erase("checksum");
    document["checksum"] = sha256_hex(document.dump());
    return refusal(document.dump());
  }();
  EXPECT_THAT(one_hot, HasSubstr("does not have a linear or quadratic gate"));
}

TEST(ModelFile, RefusesPartsThatContradictEachOther) {
  const auto complaint = [](const std::function<void(Json&)>& change) {
    return refusal(forged(change));
  };
  EXPECT_THAT(complaint([](Json& d) { d["method"] = "em"; }),
              HasSubstr("'mixes_probabilities' must be true in a model of method em"));
  EXPECT_THAT(complaint([](Json& d) { d["family"] = "poisson", d["mixes_probabilities"] = true; }),
              HasSubstr("'mixes_probabilities' is true, but"));
  EXPECT_THAT(complaint([](Json& d) { d["schema"]["outcome"] = ""; }), HasSubstr("no outcome"));
  EXPECT_THAT(complaint([](Json& d) { d["schema"]["outcome"] = "price"; }),
              HasSubstr("gives two roles to column 'price'"));
  EXPECT_THAT(complaint([](Json& d) { d["schema"]["group"] = "age"; }), HasSubstr("'age'"));
  EXPECT_THAT(complaint([](Json& d) { d["estimator"] = "paper", d["family"] = "poisson"; }),
              HasSubstr("'estimator' is paper, which needs a linear gate and 0/1 outcomes"));
  EXPECT_THAT(complaint([](Json& d) { d["provenance"]["options"]["method"] = "gbm"; }),
              HasSubstr("'method' is otss, but the model was fitted with another one"));
  EXPECT_THAT(complaint([](Json& d) { d["provenance"]["options"]["family"] = "poisson"; }),
              HasSubstr("'family' is bernoulli"));
  EXPECT_THAT(complaint([](Json& d) { d["experts"][0]["price"] = 1e308; }),
              HasSubstr("m.json: the model has a number of the size 1e+308"));
  EXPECT_THAT(complaint([](Json& d) { d["gate"]["slopes"][0][0] = -1e200; }),
              HasSubstr("of the size 1e+200"));
  EXPECT_THAT(complaint([](Json& d) { d["baseline"]["slopes"][0] = 1e101; }),
              HasSubstr("at most 1e+100 is allowed"));
}

std::string forged_from(const Fitted& fitted, const std::function<void(Json&)>& change) {
  Json document = Json::parse(model_to_text(fitted));
  change(document);
  document.erase("checksum");
  document["checksum"] = sha256_hex(document.dump());
  return document.dump();
}

TEST(ModelFile, RefusesAnEstimatorOrUncertaintyThatItsMethodCannotHave) {
  const auto hard = [](int p, const auto& draw) {
    return std::make_shared<SoftMixture>(OneHotGate(LinearGate(p, draw(3 * p), draw(3))), 2,
                                         draw(6));
  };
  EXPECT_THAT(refusal(forged_from(example(7, Method::kHard, hard),
                                  [](Json& d) { d["estimator"] = "bayes"; })),
              HasSubstr("'estimator' is bayes, which method hard does not have"));
  EXPECT_THAT(
      refusal(forged_from(unsure_example("draws"), [](Json& d) { d["estimator"] = "paper"; })),
      HasSubstr("'uncertainty' has draws, which estimator paper does not make"));
  const auto average = [](int p, const auto& draw) {
    return std::make_shared<SoftMixture>(
        AverageGate(std::vector<AverageGate::Member>{{.3, LinearGate(p, draw(2 * p), draw(2))},
                                                     {.7, LinearGate(p, draw(p), draw(1))}}),
        2, draw(6));
  };
  const Fitted mean = example(7, Method::kOtss, average);
  EXPECT_THAT(refusal(forged_from(mean, [](Json& d) { d["estimator"] = "map"; })),
              HasSubstr("makes no posterior draws, but the gate is an average of posterior draws"));
  EXPECT_THAT(refusal(forged_from(mean,
                                  [](Json& d) {
                                    d["gate"]["weights"] = {0.0, 0.0};
                                  })),
              HasSubstr("'weights' does not sum to 1"));
}

TEST(ModelFile, ReadsTheChecksumOfOlderFilesToo) {
  // For this number, nlohmann's dump() has one digit more than the shortest form.
  Json document = Json::parse(forged([](Json& d) { d["baseline"]["intercept"] = 9e-265; }));
  ASSERT_NE(document.dump(), json_text(document)) << "the number is written alike";
  const Fitted fitted = model_from_text(document.dump(), "old.json");
  EXPECT_EQ(fitted.baseline().intercept, 9e-265);
  document.erase("checksum");
  document["checksum"] = sha256_hex(json_text(document));
  EXPECT_EQ(model_from_text(document.dump(), "new.json").baseline().intercept, 9e-265);
}

TEST(ModelFile, SurvivesDeepNesting) {
  EXPECT_THAT(refusal(std::string(1'000'000, '[')), HasSubstr("nested too deeply"));
}

TEST(ModelFile, NamesAFileThatIsNotThere) {
  try {
    load_model("/no/such/model.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/no/such/model.json: there is no such model file"));
  }
}

TEST(ModelFile, RefusesReadingRulesItCannotFollow) {
  EXPECT_THAT(refusal(forged([](Json& d) { d["schema"]["reading"]["decimal"] = ";"; })),
              HasSubstr("decimal sign ';'"));
  EXPECT_THAT(refusal(forged([](Json& d) { d["schema"]["reading"]["positive"] = "yes"; })),
              HasSubstr("positive"));
  EXPECT_THAT(refusal(forged([](Json& d) { d["schema"]["reading"]["date_order"] = "ymd"; })),
              HasSubstr("date_order"));
  EXPECT_THAT(refusal(forged([](Json& d) { d["schema"]["reading"]["colour"] = 1; })),
              HasSubstr("colour"));
  EXPECT_THAT(refusal(forged([](Json& d) { d["schema"]["contexts"][0]["range"] = {1}; })),
              HasSubstr("range"));
  EXPECT_THAT(refusal(forged([](Json& d) { d["schema"]["contexts"][0]["type"] = "color"; })),
              HasSubstr("type"));
}

TEST(ModelFile, KeepsTheReadingRules) {
  const std::string text = forged([](Json& d) {
    Json& reading = d["schema"]["reading"];
    reading["decimal"] = ",";
    reading["missing_texts"] = {"?"};
    reading["date_order"] = "mdy";
    reading["ignores_case"] = true;
    reading["dates"] = {{{"column", "day"}, {"parts", {"weekday", "hour"}}}};
    reading["text_factors"] = {{{"column", "brand"}, {"reference", "a"}, {"levels", {"b", "c"}}}};
    reading["positive"] = {{"column", "y"}, {"value", "yes"}, {"others", {"no"}}};
  });
  const Fitted fitted = model_from_text(text, "m.json");
  EXPECT_EQ(fitted.encoder().reading,
            (ReadingRules{.missing = example().encoder().reading.missing,
                          .missing_texts = {"?"},
                          .decimal = ',',
                          .date_order = DateOrder::kMonthFirst,
                          .ignores_case = true,
                          .is_settled = true,
                          .dates = {{"day", {DatePart::kWeekday, DatePart::kHour}}},
                          .text_factors = {{"brand", "a", {"b", "c"}}},
                          .positive = PositiveOutcome{"y", "yes", {"no"}}}));
  EXPECT_EQ(Json::parse(model_to_text(fitted)), Json::parse(text));
}

TEST(ModelFile, OfVersion1HasUnknownTypesAndRanges) {
  const std::string text = forged([](Json& d) {
    d["version"] = 1;
    d.erase("mixes_probabilities");
    d["schema"].erase("reading");
    for (Json& context : d["schema"]["contexts"]) {
      context.erase("type");
      context.erase("range");
    }
  });
  const Fitted fitted = model_from_text(text, "m.json");
  EXPECT_EQ(fitted.encoder().reading,
            (ReadingRules{.decimal = '.', .trims_texts = false, .is_settled = true}));
  for (const ContextColumn& column : fitted.encoder().contexts) {
    EXPECT_EQ(column.type, ValueType::kUnknown);
    EXPECT_FALSE(column.range);
  }
}

}  // namespace
}  // namespace otss
