#include "data/table/parquet/stored_type.hpp"

#include <gtest/gtest.h>

namespace otss::internal::parquet {
namespace {

TEST(StoredType, TakesNoWholeNumberOfWhichF64WouldChangeDigits) {
  const StoredType type{Storage::kDouble};
  std::string bytes;
  for (const char* text : {"9007199254740993", "-9007199254740993", "123456789012345678901"})
    EXPECT_FALSE(append_value(bytes, text, type)) << text;
  for (const char* text : {"9007199254740991", "1.50", "1e300", "-inf"})
    EXPECT_TRUE(append_value(bytes, text, type)) << text;
}

}  // namespace
}  // namespace otss::internal::parquet
