#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <string>

#include "data/table/postgres/address.hpp"
#include "data/table/postgres/binary_value.hpp"
#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss::internal::postgres {
namespace {

// Returns the bytes of a numeric: number of digits, weight, sign, scale, digits of base 10000.
std::string numeric(int weight, int sign, int scale, std::initializer_list<int> digits) {
  std::string bytes;
  append_integer(bytes, static_cast<std::int16_t>(digits.size()));
  for (const int part : {weight, sign, scale})
    append_integer(bytes, static_cast<std::int16_t>(part));
  for (const int digit : digits) append_integer(bytes, static_cast<std::int16_t>(digit));
  return bytes;
}

constexpr int kNegative = 0x4000;

TEST(PostgresValue, ReadsBigEndianNumbers) {
  EXPECT_EQ(load<std::int16_t>("\xFF\xFE"), -2);
  EXPECT_EQ(load<std::int32_t>(std::string("\0\0\1\0", 4)), 256);
  EXPECT_EQ(load<double>(std::string("\x3F\xF8\0\0\0\0\0\0", 8)), 1.5);
}

TEST(PostgresValue, ANumericIsTheNearestDouble) {
  EXPECT_EQ(numeric_as_double(numeric(0, 0, 2, {12, 5000})), 12.5);
  EXPECT_EQ(numeric_as_double(numeric(-1, kNegative, 6, {1, 2300})), -0.000123);
  EXPECT_EQ(numeric_as_double(numeric(2, 0, 0, {1})), 1e8);
  EXPECT_EQ(numeric_as_double(numeric(0, 0, 0, {})), 0.0);
  EXPECT_TRUE(std::isnan(*numeric_as_double(numeric(0, 0xC000, 0, {}))));
  EXPECT_EQ(numeric_as_double(numeric(0, 0xF000, 0, {})), -INFINITY);
  EXPECT_EQ(numeric_as_double(numeric(100, 0, 0, {1})), INFINITY);
  EXPECT_EQ(numeric_as_double("short"), std::nullopt);
  EXPECT_EQ(numeric_as_double(numeric(0, 0, 0, {1, 2}).substr(0, 10)), std::nullopt);
}

TEST(PostgresValue, ANumericWithFewDigitsIsExact) {
  EXPECT_EQ(numeric_as_decimal(numeric(0, 0, 2, {12, 5000}), 2), 1250);
  EXPECT_EQ(numeric_as_decimal(numeric(-1, kNegative, 2, {500}), 2), -5);
  EXPECT_EQ(numeric_as_decimal(numeric(3, 0, 2, {9999, 9999, 9999, 9999, 9900}), 2),
            999999999999999999);
  EXPECT_EQ(numeric_as_decimal(numeric(0, 0, 2, {12, 5001}), 2), std::nullopt);
  EXPECT_EQ(numeric_as_decimal(numeric(4, 0, 0, {100}), 0), std::nullopt);
  EXPECT_EQ(numeric_as_decimal(numeric(0, 0xC000, 0, {}), 0), std::nullopt);
}

TEST(PostgresAddress, HasATableAfterTheHash) {
  const Address address =
      parse_address("postgresql://me:secret@host:5433/shop?sslmode=require#sales.log");
  EXPECT_EQ(address.server, "postgresql://me:secret@host:5433/shop?sslmode=require");
  EXPECT_EQ(address.table_sql(), "\"sales\".\"log\"");
  EXPECT_EQ(address.name, "postgresql://host:5433/shop#sales.log");
  EXPECT_EQ(parse_address("postgres:///shop").table, "");
  EXPECT_EQ(quoted_identifier("a\"b"), "\"a\"\"b\"");
}

TEST(PostgresAddress, ABadAddressIsRefusedWithoutShowingIt) {
  for (const char* address :
       {"postgresql://me:sec@ret@host/db", "postgresql://me:secret/x@host/db",
        "postgresql://me:#secret@host/db", "postgresql://me: secret@host/db",
        "postgresql://me:secret/db", "postgresql://host/db?secret", "postgresql://host/db#"}) {
    try {
      parse_address(address);
      ADD_FAILURE() << address;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos) << error.what();
    }
  }
}

TEST(PostgresAddress, OnlyItsTwoSchemesAreDatabases) {
  EXPECT_TRUE(is_database("postgresql://host/db#t"));
  EXPECT_TRUE(is_database("postgres://host/db"));
  EXPECT_FALSE(is_database("postgresql.csv"));
}

}  // namespace
}  // namespace otss::internal::postgres
