#include "model/maps/tree_scorer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "model/fitted_parts.hpp"
#include "otss/base/error.hpp"
#include "otss/model/model_file.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;
using Vector = std::vector<double>;

// One context, two factors. The first tree asks for x, then for the second factor; the other is a
// leaf.
std::vector<Tree> two_trees() {
  return {{{0, 0.5, 1, 2}, {TreeNode::kLeaf, -1}, {2, 10, 3, 4}, {-1, 2}, {-1, 1.0 / 3}},
          {{-1, 0.25}}};
}

TEST(TreeScorer, AddsTheLeavesThatARowFallsInto) {
  const TreeScorer scorer(1, 2, two_trees());
  EXPECT_EQ(scorer.score(Vector{0.4}, Vector{0, 99}), -0.75);
  EXPECT_EQ(scorer.score(Vector{0.5}, Vector{0, 9}), 2.25);  // not below 0.5: to the right
  EXPECT_EQ(scorer.score(Vector{0.6}, Vector{0, 10}), 1.0 / 3 + 0.25);
}

TEST(TreeScorer, MovesOnlyTheThresholdsOfFactorsToOtherUnits) {
  const TreeScorer scorer = in_units(TreeScorer(1, 2, two_trees()), Vector{7, 100}, Vector{3, 2});
  EXPECT_EQ(scorer.trees()[0][0].value, 0.5);
  EXPECT_EQ(scorer.trees()[0][2].value, 120);
  EXPECT_EQ(scorer.trees()[0][3].value, 2);
}

Fitted example() {
  Fitted::Parts parts;
  parts.method = Method::kGbm;
  parts.estimator = Estimator::kMap;
  parts.family = OutputFamily::kBernoulli;
  parts.encoder.contexts.push_back({.name = "age", .center = 40, .scale = 10});
  parts.encoder.factors = {{"price", 1.5, 2}, {"health", 0.1, 0.3}};
  parts.roles = {.contexts = {"age"}, .factors = {"price", "health"}, .outcome = "y"};
  parts.scorer = std::make_shared<TreeScorer>(1, 2, two_trees());
  parts.baseline = {0.1, {0}, {}};
  return Fitted(std::move(parts));
}

std::string refusal(const std::function<void(Json&)>& change) {
  Json document = Json::parse(model_to_text(example()));
  change(document);
  document.erase("checksum");
  document["checksum"] = sha256_hex(document.dump());
  try {
    model_from_text(document.dump(), "m.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TreeScorer, ComesBackFromTheModelFileToTheBit) {
  const Fitted loaded = model_from_text(model_to_text(example()), "m.json");
  EXPECT_EQ(std::get<std::shared_ptr<const TreeScorer>>(loaded.parts().scorer)->trees(),
            two_trees());
  EXPECT_THROW(loaded.weight_map(), Error);
}

TEST(TreeScorer, IsRefusedWhereAWalkWouldNotEndOrLeaveTheTree) {
  const auto set = [](const char* field, int node, const Json& value) {
    return [=](Json& d) { d["trees"]["trees"][0][field][node] = value; };
  };
  EXPECT_THAT(refusal(set("left", 2, 0)), HasSubstr("do not point from each node to later nodes"));
  EXPECT_THAT(refusal(set("left", 2, 2)), HasSubstr("do not point from each node to later nodes"));
  EXPECT_THAT(refusal(set("right", 0, 5)), HasSubstr("do not point from each node to later nodes"));
  EXPECT_THAT(refusal(set("right", 1, 2)), HasSubstr("do not point from each node to later nodes"));
  EXPECT_THAT(refusal(set("features", 0, 3)), HasSubstr("do not point"));
  EXPECT_THAT(refusal(set("features", 0, -2)), HasSubstr("do not point"));
  EXPECT_THAT(refusal(set("features", 0, 0.5)), HasSubstr("not an index"));
  EXPECT_THAT(refusal(set("left", 0, 1e300)), HasSubstr("not an index"));
  EXPECT_THAT(refusal(set("values", 0, nullptr)), HasSubstr("values"));
  EXPECT_THAT(refusal([](Json& d) { d["trees"]["trees"][1]["left"] = Json::array(); }),
              HasSubstr("one entry per node"));
  EXPECT_THAT(refusal([](Json& d) {
                for (const char* field : {"features", "values", "left", "right"})
                  d["trees"]["trees"][1][field] = Json::array();
              }),
              HasSubstr("do not point"));
  EXPECT_THAT(refusal([](Json& d) { d["trees"]["trees"][0]["gain"] = 1; }), HasSubstr("gain"));
  EXPECT_THAT(refusal([](Json& d) { d["method"] = "otss"; }), HasSubstr("method does not have"));
}

}  // namespace
}  // namespace otss
