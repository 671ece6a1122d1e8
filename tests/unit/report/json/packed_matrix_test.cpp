#include "report/json/packed_matrix.hpp"

#include <gtest/gtest.h>

#include "report/json/shown_numbers.hpp"

namespace otss::internal {
namespace {

std::string text_of(const std::string& bytes) {
  return base64_text({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

TEST(Base64Text, IsThatOfTheStandard) {  // the examples of RFC 4648, section 10
  EXPECT_EQ(text_of(""), "");
  EXPECT_EQ(text_of("f"), "Zg==");
  EXPECT_EQ(text_of("fo"), "Zm8=");
  EXPECT_EQ(text_of("foo"), "Zm9v");
  EXPECT_EQ(text_of("foobar"), "Zm9vYmFy");
}

TEST(PackedMatrix, RoundsRelativeToTheLargestEntryOfARow) {
  const Json packed = packed_matrix(std::vector<double>{1, -2, 0, 0}, 2, PackedCenter::kZero);
  EXPECT_EQ(packed["rows"], 2);
  EXPECT_TRUE(packed["center"].is_null());
  EXPECT_DOUBLE_EQ(packed["scale"][0].get<double>(), 2.0 / 32767);
  // 16384 is 0x4000, and -32767 is 0x8001; the low byte comes first.
  EXPECT_EQ(packed["int16"], text_of(std::string("\x00\x40\x01\x80\x00\x00\x00\x00", 8)));
}

TEST(PackedMatrix, CountsFromTheMeanOfARow) {
  const Json packed = packed_matrix(std::vector<double>{100, 102}, 2, PackedCenter::kMeanOfRow);
  EXPECT_EQ(packed["center"][0], 101);
  EXPECT_DOUBLE_EQ(packed["scale"][0].get<double>(), 1.0 / 32767);
  EXPECT_EQ(packed["int16"], text_of(std::string("\x01\x80\xFF\x7F", 4)));
}

TEST(Shown, HasSixDigitsAndNullForWhatIsNotKnown) {
  EXPECT_EQ(json_text(shown(1.0 / 3)), "0.333333");
  EXPECT_EQ(json_text(shown(123456789.0)), "123457000.0");
  EXPECT_TRUE(shown(kNotKnown).is_null());
  EXPECT_EQ(json_text(shown(Estimate{1})), R"({"hi":null,"lo":null,"value":1.0})");
}

TEST(Utf8Name, ReplacesBytesThatAreNoText) {
  EXPECT_EQ(utf8_name("caf\xC3\xA9.json"), "caf\xC3\xA9.json");
  EXPECT_EQ(utf8_name("caf\xE9.json"), "caf?.json");
}

}  // namespace
}  // namespace otss::internal
