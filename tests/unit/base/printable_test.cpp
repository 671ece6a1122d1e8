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

TEST(Printable, ShowsNoPasswordOfADatabase) {
  EXPECT_EQ(without_passwords("no address"), "no address");
  EXPECT_EQ(without_passwords("'postgresql://me:secret@host:5432/db#t' is bad"),
            "'postgresql://host:5432/db#t' is bad");
  EXPECT_EQ(without_passwords("postgres://me:sec@ret@host/db and postgresql://a:b@/"),
            "postgres://host/db and postgresql:///");
  EXPECT_EQ(without_passwords("postgresql:///db?password=secret&host=/tmp&sslpassword=x#t"),
            "postgresql:///db?host=/tmp#t");
  EXPECT_EQ(without_passwords("'postgresql:///db?user=me&password=secret': no"),
            "'postgresql:///db': no");
}

TEST(Printable, AnErrorShowsNoPasswordOfADatabase) {
  const Error error(ErrorCode::kIo, "cannot read 'postgresql://me:secret@host/db'");
  EXPECT_STREQ(error.what(), "cannot read 'postgresql://host/db'");
}

}  // namespace
}  // namespace otss
