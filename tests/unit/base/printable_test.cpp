#include "otss/base/printable.hpp"

#include <gtest/gtest.h>

#include "otss/base/error.hpp"

namespace otss {
namespace {

TEST(Printable, EscapesControlCharactersAndNothingElse) {
  EXPECT_EQ(printable("price"), "price");
  EXPECT_EQ(printable("süd \\ \"x\" …"), "süd \\ \"x\" …");
  EXPECT_EQ(printable("a\x1b[31mb\x7f"), "a\\x1b[31mb\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J"),
            "\\u009b2J");
  EXPECT_EQ(printable("a\nb\tc"), "a\\x0ab\\x09c");
  EXPECT_EQ(printable("a\nb\x1b", LineBreaks::kKeep), "a\nb\\x1b");
}

TEST(Printable, KeepsWhatFollowsANulInAMessage) {
  const Error error(ErrorCode::kInput, std::string("column 'a\0b' is missing", 23));
  EXPECT_STREQ(error.what(), "column 'a\\x00b' is missing");
}

}  // namespace
}  // namespace otss
