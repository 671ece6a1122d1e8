#include "model/file/schema_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(SchemaJson, KeepsPairsOfLevels) {
  Encoder encoder;
  for (const char* name : {"city", "chain"}) {
    encoder.contexts.push_back({.name = name,
                                .kind = ColumnKind::kText,
                                .levels = {"a", "b"},
                                .level_frequencies = {0.25, 0.75},
                                .type = ValueType::kText});
  }
  encoder.level_pairs.push_back({0, 1, {{0, 1}, {1, 0}}, {0.75, 1.0 / 3}});
  Json schema = schema_to_json(encoder, {});
  const auto read = [](const Json& json) {
    Encoder result;
    Roles roles;
    schema_from_json(JsonFields(json, "schema"), 2, result, roles);
    return result;
  };
  EXPECT_EQ(read(schema), encoder);
  schema["level_pairs"][0]["pairs"][1] = {1, -1};
  EXPECT_THAT([&] { read(schema); },
              ThrowsMessage<Error>(HasSubstr("an entry that is not a pair of whole numbers")));
}

}  // namespace
}  // namespace otss
