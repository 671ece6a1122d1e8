// Databases that are opened before they are needed, and closed after.
#include "data/table/duckdb/open/open_database.hpp"

#include <fmt/core.h>

#include <cstdlib>

#include "data/table/duckdb/connection.hpp"
#include "otss/data/prepared_tables.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using internal::duck::Connection;

std::string threads_of(Connection& connection) {
  return connection.first_row("SELECT CAST(current_setting('threads') AS VARCHAR)")
      ->front()
      .value();
}

TEST(PreparedTables, HaveTheNumberOfThreadsThatTheReaderAsksFor) {
  const PreparedTables tables(2, 3);
  for (const int threads : {2, 3, 3, 3, 1}) {
    Connection connection(threads);
    EXPECT_EQ(threads_of(connection), fmt::format("{}", threads));
  }
}

TEST(PreparedTables, AreNotSharedByTwoReaders) {
  const PreparedTables tables(1, 2);
  Connection first(2), second(2);
  first.execute("CREATE TABLE t AS SELECT 1 AS x");
  EXPECT_THROW(second.execute("SELECT x FROM t"), internal::duck::Failure);
}

TEST(PreparedTables, AreClosedBeforeAProgramEndsThatDoesNotReadThem) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr int kCode = 7;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EXIT(
        {
          { const PreparedTables tables(4, 2); }
          std::exit(kCode);  // NOLINT(concurrency-mt-unsafe): no other thread is left
        },
        testing::ExitedWithCode(kCode), "");
  }
}

TEST(ClosingLater, DoesNotDisturbTheNextReaderOfTheSameFile) {
  const Folder folder;
  const std::string path = folder.write("t.csv", "x\n1\n2\n");
  for (int i = 0; i < 10; ++i) {
    const TableReader reader(TableSource{.path = path, .threads = 4});
    EXPECT_EQ(read_table(reader, {{"x"}}).num_rows, 2U);
  }
}

}  // namespace
}  // namespace otss
