#include "data/table/database.hpp"

#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using namespace internal;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Database, JoinsTablesOfDifferentFormats) {
  const Folder folder;
  const auto sales = folder.write("sales.csv", "item,price\na,2\nb,3\na,4\n");
  const auto items =
      folder.convert(folder.write("items.csv", "item,kind\na,fruit\nb,bread\n"), "items.parquet");
  Database database({{"sales", sales}, {"items", items}});
  database.execute(
      "CREATE TABLE spent AS SELECT kind, sum(CAST(price AS DOUBLE)) AS total "
      "FROM sales JOIN items USING (item) GROUP BY kind; CREATE VIEW sorted AS "
      "SELECT * FROM spent ORDER BY kind;");
  const Table table = database.select("SELECT * FROM sorted");
  ASSERT_EQ(table.num_rows, 2U);
  EXPECT_THAT(table.columns[0].texts, ElementsAre("bread", "fruit"));
  EXPECT_THAT(table.columns[1].numbers, ElementsAre(3, 6));
}

TEST(Database, KnowsTheColumnsOfItsTables) {
  const Folder folder;
  Database database({{"t", folder.write("t.csv", "age,region\n41,north\n")}});
  EXPECT_TRUE(database.has_column("t", "region"));
  EXPECT_FALSE(database.has_column("t", "income"));
}

TEST(Database, MaySelectNothing) {
  const Folder folder;
  Database database({{"t", folder.write("t.csv", "age\n41\n")}});
  const Table table = database.select("SELECT age FROM t WHERE age = '7'");
  EXPECT_EQ(table.num_rows, 0U);
  EXPECT_EQ(table.columns[0].name, "age");
}

TEST(Database, ReadsNoFileItWasNotGiven) {
  const Folder folder;
  Database database({{"t", folder.write("t.csv", "age\n41\n")}});
  const auto other = folder.write("other.csv", "secret\n1\n");
  EXPECT_THAT(error_of([&] { database.select("SELECT * FROM '" + other + "'"); }),
              HasSubstr("other.csv"));
}

TEST(Database, SaysWhatItsSqlCouldNotDo) {
  const Folder folder;
  Database database({{"t", folder.write("t.csv", "age\nold\n")}});
  EXPECT_THAT(error_of([&] { database.execute("CREATE TABLE u AS SELECT income FROM t"); }),
              HasSubstr("income"));
  EXPECT_THAT(error_of([&] { database.select("SELECT CAST(age AS DOUBLE) FROM t"); }),
              HasSubstr("'old'"));
}

TEST(Database, NamesAFileThatIsNotThere) {
  const std::vector<NamedSource> sources = {{"t", "/nowhere/t.csv"}};
  EXPECT_THAT(error_of([&] { Database database(sources); }), HasSubstr("'/nowhere/t.csv'"));
}

}  // namespace
}  // namespace otss
