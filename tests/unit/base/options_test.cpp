#include "otss/base/options.hpp"

#include <gtest/gtest.h>

#include <array>

namespace otss {
namespace {

enum class Fruit { kApple, kBlackCurrant };

constexpr auto word_table(Fruit) {
  return std::to_array<WordOf<Fruit>>(
      {{Fruit::kApple, "apple"}, {Fruit::kBlackCurrant, "black-currant"}});
}

TEST(Words, OfAClosedSetAreParsedAndPrintedByOneTable) {
  EXPECT_EQ(words_of<Fruit>(), (Choices{"apple", "black-currant"}));
  for (const std::string& text : words_of<Fruit>()) EXPECT_EQ(word(*parse_word<Fruit>(text)), text);
  EXPECT_EQ(parse_word<Fruit>("black-currant"), Fruit::kBlackCurrant);
}

TEST(Words, ThatAreNotInTheSetAreNone) {
  EXPECT_EQ(parse_word<Fruit>("pear"), std::nullopt);
  EXPECT_EQ(parse_word<Fruit>(""), std::nullopt);
  EXPECT_EQ(parse_word<Fruit>("apple "), std::nullopt);
}

TEST(SplitNames, ReadsQuotedNamesAsCsvDoes) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(split_names("a,b c,d"), (Names{"a", "b c", "d"}));
  EXPECT_EQ(split_names("\"a,b\",c"), (Names{"a,b", "c"}));
  EXPECT_EQ(split_names("5\",x"), (Names{"5\"", "x"})) << "a quote inside a name is itself";
  EXPECT_EQ(split_names("\"\"\"a\"\",b\",c"), (Names{"\"a\",b", "c"}));
  EXPECT_EQ(split_names(""), Names{});
  EXPECT_EQ(split_names("a,"), (Names{"a", ""}));
}

}  // namespace
}  // namespace otss
