#include "data/table/text_levels.hpp"

#include <gmock/gmock.h>

namespace otss {
namespace {

using namespace internal;
using ::testing::HasSubstr;
using ::testing::Optional;

std::optional<std::string> note(const std::vector<std::string>& texts) {
  return note_on_numbers(texts, std::vector<TextLevel>(texts.size(), {.num_rows = 3}), {});
}

// Returns the texts "10", "11", …, each with `unit` behind it.
std::vector<std::string> numbers(int count, const std::string& unit = "") {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.push_back(std::to_string(10 + i) + unit);
  return texts;
}

TEST(TextLevels, NamesLevelsThatDifferOnlyInCase) {
  EXPECT_THAT(note_on_case({"F", "M", "f"}), Optional(HasSubstr("'F' and 'f' differ only")));
  EXPECT_EQ(note_on_case({"F", "M"}), std::nullopt);
}

TEST(TextLevels, NamesNumbersThatAreLevels) {
  EXPECT_THAT(note(numbers(6)), Optional(HasSubstr("stores numbers as text")));
  std::vector<std::string> texts = numbers(6);
  texts.push_back("unknown");
  EXPECT_THAT(note(texts), Optional(HasSubstr("'unknown' in 3 rows is not a number")));
  texts.push_back("refused");
  EXPECT_THAT(note(texts), Optional(HasSubstr("--missing 'unknown,refused'")));
  EXPECT_THAT(note(numbers(30, " kg")), Optional(HasSubstr("such as '10 kg'")));
}

TEST(TextLevels, LeavesTextsAlone) {
  EXPECT_EQ(note({"1", "2", "other"}), std::nullopt);
  EXPECT_EQ(note({"18-24", "25-34", "35-44", "45-54", "55-64", "65+"}), std::nullopt);
  EXPECT_EQ(note({"north", "south"}), std::nullopt);
  std::vector<std::string> codes = numbers(30);
  for (std::string& code : codes) code.insert(0, "00");
  EXPECT_EQ(note(codes), std::nullopt);
}

}  // namespace
}  // namespace otss
