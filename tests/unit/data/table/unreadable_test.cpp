#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/table/duckdb/source_relation.hpp"

namespace otss::internal::duck {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string words(Format format, duckdb_error_type type, const std::string& message) {
  SourceFiles source;
  source.name = "t";
  source.format = format;
  return unreadable(Failure(type, message), source).what();
}

TEST(Unreadable, DoesNotBlameTheTableForLackOfMemory) {
  for (const Format format : {Format::kCsv, Format::kParquet, Format::kJson}) {
    EXPECT_THAT(
        words(format, DUCKDB_ERROR_OUT_OF_MEMORY, "Out of Memory Error: failed to allocate"),
        AllOf(HasSubstr("out of memory while reading 't'"), Not(HasSubstr("CSV"))));
  }
}

TEST(Unreadable, DoesNotRepeatTheWordsOfADecoder) {
  EXPECT_THAT(words(Format::kParquet, DUCKDB_ERROR_IO, "TProtocolException: Invalid data"),
              AllOf(HasSubstr("damaged"), Not(HasSubstr("TProtocol"))));
  EXPECT_THAT(words(Format::kCsv, DUCKDB_ERROR_INVALID_INPUT,
                    "Invalid Input Error: The CSV Parser state machine reached an invalid state."),
              AllOf(HasSubstr("a quote inside a field"), Not(HasSubstr("state machine"))));
}

}  // namespace
}  // namespace otss::internal::duck
