#include "base/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

// What a field of this value answers when it is asked for.
std::string error_of(const Json& value, const std::function<void(JsonFields&)>& ask) {
  const Json document = {{"a", value}};
  JsonFields fields(document, "model.json: gate");
  try {
    ask(fields);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInput);
    return error.what();
  }
  return "no error";
}

TEST(Sha256, LeavesOutOneField) {
  const Json object = {{"a", {1, 2.5, "x\n", nullptr, true}},
                       {"b", Json::object()},
                       {"c", Json::array()},
                       {"seal", 7},
                       {"z", {{"seal", {0.1, -1e300}}}}};
  Json rest = object;
  rest.erase("seal");
  using enum NumberText;
  EXPECT_EQ(sha256_hex_without(object, "seal", kOfDump), sha256_hex(rest.dump()));
  EXPECT_EQ(sha256_hex_without(object, "none", kOfDump), sha256_hex(object.dump()));
  EXPECT_EQ(sha256_hex_without(object, "seal", kShortest), sha256_hex(json_text(rest)));
  EXPECT_EQ(sha256_hex_without(Json{{"seal", 1}}, "seal", kShortest), sha256_hex("{}"));
}

TEST(JsonFields, GiveWhatIsThere) {
  const Json document = Json::parse(R"({"number": 2.5, "whole": 3, "text": "b", "flag": true,
      "numbers": [1, 2.5], "texts": ["p", "q"], "none": [], "inner": {"x": 1}, "any": null})");
  JsonFields fields(document, "here");
  EXPECT_EQ(fields.where(), "here");
  EXPECT_EQ(fields.number("number"), 2.5);
  EXPECT_EQ(fields.number("whole"), 3);
  EXPECT_EQ(fields.text("text"), "b");
  EXPECT_TRUE(fields.flag("flag"));
  EXPECT_THAT(fields.numbers("numbers"), testing::ElementsAre(1, 2.5));
  EXPECT_THAT(fields.texts("texts"), testing::ElementsAre("p", "q"));
  EXPECT_TRUE(fields.numbers("none").empty());
  EXPECT_TRUE(fields.texts("none").empty());
  EXPECT_EQ(fields.array("numbers").size(), 2);
  EXPECT_TRUE(fields.field("any").is_null());
  JsonFields inner = fields.object("inner");
  EXPECT_EQ(inner.where(), "here: inner");
  EXPECT_EQ(inner.number("x"), 1);
  EXPECT_NO_THROW(inner.finish());
  EXPECT_NO_THROW(fields.finish());
}

TEST(JsonFields, SayWhichFieldIsMissing) {
  const std::vector<std::function<void(JsonFields&)>> questions = {
      [](JsonFields& f) { f.field("b"); },   [](JsonFields& f) { f.number("b"); },
      [](JsonFields& f) { f.text("b"); },    [](JsonFields& f) { f.flag("b"); },
      [](JsonFields& f) { f.numbers("b"); }, [](JsonFields& f) { f.texts("b"); },
      [](JsonFields& f) { f.array("b"); },   [](JsonFields& f) { f.object("b"); }};
  for (const auto& question : questions)
    EXPECT_EQ(error_of(1, question), "model.json: gate: field 'b' is missing");
}

TEST(JsonFields, RefuseAnotherType) {
  const auto number = [](JsonFields& f) { f.number("a"); };
  const auto text = [](JsonFields& f) { f.text("a"); };
  const auto flag = [](JsonFields& f) { f.flag("a"); };
  const auto numbers = [](JsonFields& f) { f.numbers("a"); };
  const auto texts = [](JsonFields& f) { f.texts("a"); };
  const auto array = [](JsonFields& f) { f.array("a"); };
  const auto object = [](JsonFields& f) { f.object("a"); };
  const std::string field = "model.json: gate: field 'a' ";
  EXPECT_EQ(error_of("2", number), field + "is not a finite number");
  EXPECT_EQ(error_of(true, number), field + "is not a finite number");
  EXPECT_EQ(error_of(nullptr, number), field + "is not a finite number");
  EXPECT_EQ(error_of(std::numeric_limits<double>::infinity(), number),
            field + "is not a finite number");
  EXPECT_EQ(error_of(std::numeric_limits<double>::quiet_NaN(), number),
            field + "is not a finite number");
  EXPECT_EQ(error_of(2, text), field + "is not a string");
  EXPECT_EQ(error_of(1, flag), field + "is not true or false");
  EXPECT_EQ(error_of("true", flag), field + "is not true or false");
  EXPECT_EQ(error_of(1, array), field + "is not a list");
  EXPECT_EQ(error_of(1, numbers), field + "is not a list");
  EXPECT_EQ(error_of("a text", texts), field + "is not a list");
  EXPECT_EQ(error_of({1, "2"}, numbers), field + "has an element that is not a finite number");
  EXPECT_EQ(error_of({1.0, std::numeric_limits<double>::quiet_NaN()}, numbers),
            field + "has an element that is not a finite number");
  EXPECT_EQ(error_of({"1", 2}, texts), field + "has an element that is not a string");
  EXPECT_EQ(error_of(1, object), "model.json: gate: a: this value is not a JSON object");
}

TEST(JsonFields, AreOfAnObject) {
  const Json list = Json::array({1, 2});
  try {
    const JsonFields fields(list, "model.json");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "model.json: this value is not a JSON object");
  }
}

TEST(JsonFields, FinishRefusesWhatNobodyAskedFor) {
  const Json document = {{"known", 1}, {"newer", 2}};
  JsonFields fields(document, "model.json");
  EXPECT_EQ(fields.number("known"), 1);
  EXPECT_TRUE(fields.has("newer"));  // to look is not to ask
  EXPECT_FALSE(fields.has("absent"));
  try {
    fields.finish();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "model.json: field 'newer' is unknown to this version of otss; install the "
                 "version that wrote the file");
  }
}

TEST(JsonFields, FailWithTheCallersOwnWords) {
  EXPECT_EQ(error_of(1, [](JsonFields& f) { f.fail("a", "is odd"); }),
            "model.json: gate: field 'a' is odd");
}

// Examples of the standard (FIPS 180-2).
TEST(Sha256, AgreesWithTheStandard) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(JsonText, WritesEveryNumberInItsShortestExactForm) {
  const Json document = Json::parse(
      R"({"b": [0.1, 1e-05, 1e+16, 100.0, -0.0, 3, 5e-324, 9007199254740993], "a": {"ü": null}})");
  EXPECT_EQ(json_text(document),
            R"({"a":{"ü":null},"b":[0.1,1e-05,1e+16,100.0,-0.0,3,5e-324,9007199254740993]})");
  EXPECT_EQ(json_text(Json(9e-265)), "9e-265");
  EXPECT_EQ(json_text(Json(std::numeric_limits<double>::quiet_NaN())), "null");
}

}  // namespace
}  // namespace otss
