// Parquet files that we write, as DuckDB reads them.
#include <fmt/core.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>

#include "data/table/duckdb/connection.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using internal::duck::Connection;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

ColumnInfo text_column(const std::string& name, const std::string& stored_as = "",
                       ValueType type = ValueType::kText) {
  return {.name = name, .kind = ColumnKind::kText, .type = type, .stored_as = stored_as};
}

// Copies a table to a Parquet file, with all columns as --keep copies them.
void copy(const std::string& from, const std::string& to, int threads) {
  const TableReader reader(TableSource{.path = from, .threads = threads});
  std::vector<ColumnRequest> requests;
  std::vector<ColumnInfo> columns = reader.columns();
  for (ColumnInfo& column : columns) {
    requests.push_back({column.name, true, TextForm::kValue});
    column.kind = ColumnKind::kText;
  }
  TableWriter writer(to, columns, threads);
  reader.read_in_parallel(requests, [&](const TableChunk& chunk) {
    return [&writer, rows = writer.format(chunk)] { writer.write(rows); };
  });
  writer.commit();
}

std::string only_cell(const std::string& sql) {
  Connection connection(1);
  const auto row = connection.first_row(sql);
  return row ? row->front().value_or("NULL") : "no row";
}

// What parquet_metadata says about a column, over all row groups, in order.
std::string metadata(const std::string& path, const std::string& column, const char* what) {
  return only_cell(
      fmt::format("SELECT string_agg(CAST({} AS VARCHAR), ' ' ORDER BY row_group_id) FROM "
                  "parquet_metadata('{}') WHERE path_in_schema = '{}'",
                  what, path, column));
}

TEST(ParquetWriter, KeepsEveryTypeAndValueOfAnotherParquetFile) {
  const Folder folder;
  Connection connection(2);
  const auto limits = [](const char* type, const char* low, const char* high) {
    return fmt::format(
        "CASE i % 4 WHEN 0 THEN {1}::{0} WHEN 1 THEN {2}::{0} WHEN 2 THEN 7::{0} END", type, low,
        high);
  };
  const auto times = [](const char* type, const char* low, const char* high) {
    return fmt::format(
        "CASE i % 5 WHEN 0 THEN {0} '{1}' WHEN 1 THEN {0} '{2}' WHEN 2 THEN {0} '1969-12-31 "
        "23:59:59' WHEN 3 THEN '2024-02-29 12:34:56'::{0} END",
        type, low, high);
  };
  connection.execute(fmt::format(
      "COPY (SELECT i % 3 = 0 AS yes, {} AS i8, {} AS i16, {} AS i32, {} AS i64, {} AS u8, {} AS "
      "u16, "
      "{} AS u32, {} AS u64, {} AS day, {} AS time, {} AS seconds, {} AS millis, {} AS nanos, {} "
      "AS zoned, "
      "CAST(i AS FLOAT) / 7 AS f32, CASE i % 5 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN 'inf'::DOUBLE "
      "WHEN 2 "
      "THEN '-inf'::DOUBLE WHEN 3 THEN -0.0 ELSE i / 7 END AS f64, (i - 500)::DECIMAL(9, 2) / 8 AS "
      "d32, "
      "(i - 500)::DECIMAL(18, 6) AS d64, 0.0625::DECIMAL(4, 4) AS part, i::HUGEINT * "
      "-1234567890123456789::HUGEINT AS wide, "
      "((i - 500)::DECIMAL(30, 4)) * 99999999.25::DECIMAL(12, 4) AS d128, "
      "CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN 'é \"quoted\"' WHEN 2 THEN NULL ELSE concat('id ', i) "
      "END AS name, "
      "NULL::INTEGER AS nothing FROM range(40000) r(i)) TO '{}' (FORMAT parquet)",
      limits("TINYINT", "'-128'", "127"), limits("SMALLINT", "'-32768'", "32767"),
      limits("INTEGER", "'-2147483648'", "2147483647"),
      limits("BIGINT", "'-9223372036854775808'", "9223372036854775807"),
      limits("UTINYINT", "0", "255"), limits("USMALLINT", "0", "65535"),
      limits("UINTEGER", "0", "4294967295"), limits("UBIGINT", "0", "18446744073709551615"),
      times("DATE", "infinity", "0044-03-15 (BC)"),
      times("TIMESTAMP", "0001-01-01 00:00:00.000001", "infinity"),
      times("TIMESTAMP_S", "1000-01-01 00:00:00", "9999-12-31 23:59:59"),
      times("TIMESTAMP_MS", "1000-01-01 00:00:00.001", "9999-12-31 23:59:59"),
      times("TIMESTAMP_NS", "1700-01-01 00:00:00.000000001", "2200-12-31 23:59:59.999999999"),
      times("TIMESTAMPTZ", "2026-04-03 10:00:00.5+02", "-infinity"), folder.path("in.parquet")));
  for (const int threads : {1, 3}) {
    copy(folder.path("in.parquet"), folder.path("out.parquet"), threads);
    const auto columns_of = [&](const char* name) {
      return fmt::format(
          "SELECT string_agg(column_name || ' ' || column_type) FROM (DESCRIBE FROM '{}')",
          folder.path(name));
    };
    EXPECT_EQ(only_cell(columns_of("out.parquet")), only_cell(columns_of("in.parquet")));
    for (const auto& [a, b] : {std::pair("in", "out"), std::pair("out", "in")}) {
      EXPECT_EQ(
          only_cell(fmt::format("SELECT t::VARCHAR FROM (FROM '{}' EXCEPT ALL FROM '{}') t LIMIT 1",
                                folder.path(std::string(a) + ".parquet"),
                                folder.path(std::string(b) + ".parquet"))),
          "no row");
    }
  }
}

// A column of a random table, and its values.
struct RandomColumn {
  ColumnInfo info;
  std::vector<double> numbers = {};
  std::vector<std::string> texts = {};  // "missing" stands for a missing text
};

RandomColumn random_column(std::mt19937& random, std::size_t num_rows, std::size_t index) {
  const auto pick = [&](unsigned count) { return static_cast<unsigned>(random()) % count; };
  const bool is_text = pick(2) == 0;
  const unsigned num_values = 1U << pick(20);  // few values make a dictionary
  const unsigned num_missing = pick(3) * pick(1000);
  RandomColumn column{.info = {.name = fmt::format("c{}", index),
                               .kind = is_text ? ColumnKind::kText : ColumnKind::kNumber,
                               .is_count = !is_text && pick(2) == 0}};
  const double specials[] = {-0.0, 0.0, 5e-324, -1e308, 1.0 / 3};
  for (std::size_t row = 0; row < num_rows; ++row) {
    const bool is_missing = pick(1000) < num_missing;
    const unsigned value = pick(num_values);
    if (is_text) {
      column.texts.push_back(
          is_missing ? "missing" : std::string(value % 50, 'a') + fmt::format("é{}\"", value));
      if (value % 7 == 0 && !is_missing) column.texts.back().clear();
    } else {
      const double number = column.info.is_count ? value
                            : value < 5          ? specials[value]
                                                 : value / 7.0;
      column.numbers.push_back(is_missing && !column.info.is_count ? kNaN : number);
    }
  }
  return column;
}

void write_in_random_chunks(const std::string& path, const std::vector<RandomColumn>& columns,
                            std::size_t num_rows, std::mt19937& random) {
  std::vector<ColumnInfo> infos;
  for (const RandomColumn& column : columns) infos.push_back(column.info);
  TableWriter writer(path, infos, 1 + static_cast<int>(random() % 3));
  for (std::size_t first = 0; first < num_rows;) {
    const std::size_t count = std::min<std::size_t>(1 + random() % 50'000, num_rows - first);
    TableChunk chunk{first, count, {}};
    std::vector<std::vector<std::string_view>> texts(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const RandomColumn& column = columns[i];
      for (std::size_t row = first; row < first + count && !column.texts.empty(); ++row)
        texts[i].push_back(column.texts[row] == "missing" ? std::string_view() : column.texts[row]);
      const auto numbers = column.numbers.empty() ? std::span<const double>()
                                                  : std::span(column.numbers).subspan(first, count);
      chunk.columns.push_back({column.info.kind, numbers, texts[i]});
    }
    writer.write(chunk);
    first += count;
  }
  writer.commit();
}

TEST(ParquetWriter, GivesBackEveryBitOfRandomTables) {
  const Folder folder;
  std::mt19937 random(900'131);  // NOLINT: a fixed seed
  for (int table = 0; table < 20; ++table) {
    const std::size_t num_rows = 1 + random() % (table % 5 == 0 ? 120'000 : 3'000);
    std::vector<RandomColumn> columns;
    std::vector<ColumnRequest> requests;
    for (std::size_t i = 0; i < 1 + random() % 6; ++i) {
      columns.push_back(random_column(random, num_rows, i));
      requests.push_back({columns[i].info.name, columns[i].info.kind == ColumnKind::kText});
    }
    const std::string path = folder.path("t.parquet");
    write_in_random_chunks(path, columns, num_rows, random);
    const Table read = read_table(TableReader(TableSource{.path = path}), requests);
    ASSERT_EQ(read.num_rows, num_rows);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for (std::size_t row = 0; row < num_rows; ++row) {
        if (columns[i].info.kind == ColumnKind::kText) {
          const std::string& text = columns[i].texts[row];
          ASSERT_EQ(read.columns[i].missing[row], text == "missing");
          ASSERT_EQ(read.columns[i].texts[row], text == "missing" ? "" : text);
        } else if (std::isnan(columns[i].numbers[row])) {
          ASSERT_TRUE(std::isnan(read.columns[i].numbers[row]));
        } else {
          ASSERT_EQ(std::bit_cast<std::uint64_t>(read.columns[i].numbers[row]),
                    std::bit_cast<std::uint64_t>(columns[i].numbers[row]));
        }
      }
    }
  }
}

TEST(ParquetWriter, WritesATableWithoutRows) {
  const Folder folder;
  const std::string path = folder.path("t.parquet");
  TableWriter(path, {{"x", ColumnKind::kNumber}, text_column("day", "DATE")}).commit();
  EXPECT_EQ(only_cell(fmt::format("SELECT count(*)::VARCHAR FROM '{}'", path)), "0");
}

// Writes one column of numbers and one of texts, 100,000 rows.
std::string write_numbered(const Folder& folder, const std::string& name) {
  TableWriter writer(folder.path(name), {{"x", ColumnKind::kNumber}, text_column("name")}, 2);
  std::vector<double> numbers(100'000);
  std::vector<std::string> names(numbers.size());
  std::vector<std::string_view> texts(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = i % 1000 == 7 ? kNaN : static_cast<double>(i) / 4;
    names[i] = fmt::format("name {}", i % 100 + i / 32'768);
    texts[i] = names[i];
  }
  writer.write(
      {0, numbers.size(), {{ColumnKind::kNumber, numbers, {}}, {ColumnKind::kText, {}, texts}}});
  writer.commit();
  return folder.path(name);
}

TEST(ParquetWriter, SaysWhatIsInEachRowGroup) {
  const Folder folder;
  const std::string path = write_numbered(folder, "t.parquet");
  EXPECT_EQ(metadata(path, "x", "num_values"), "32768 32768 32768 1696");
  EXPECT_EQ(metadata(path, "x", "stats_min_value"), "-0.0 8192.0 16384.0 24576.0");
  EXPECT_EQ(metadata(path, "x", "stats_max_value"), "8191.75 16383.75 24575.75 24999.75");
  EXPECT_EQ(metadata(path, "x", "stats_null_count"), "33 33 33 1");
  EXPECT_EQ(metadata(path, "name", "replace(stats_max_value, ' ', '_')"),
            "name_99 name_99 name_99 name_99");
  // A reader that trusts the bounds skips three row groups, and finds the row.
  EXPECT_EQ(only_cell(fmt::format("SELECT name FROM '{}' WHERE x = 20000.5", path)), "name 4");
}

TEST(ParquetWriter, StoresRepeatedValuesInADictionary) {
  const Folder folder;
  const std::string path = write_numbered(folder, "t.parquet");
  EXPECT_THAT(metadata(path, "name", "encodings"), HasSubstr("RLE_DICTIONARY"));
  EXPECT_THAT(metadata(path, "x", "encodings"), testing::Not(HasSubstr("DICTIONARY")));
  EXPECT_LT(std::stoi(metadata(path, "name", "total_compressed_size")), 32'768) << "7 bits a row";
}

TEST(ParquetWriter, CompressesTextsThatAreSimilar) {
  const Folder folder;
  const std::string path = folder.path("t.parquet");
  std::vector<std::string> ids;
  std::mt19937 random(900'132);  // NOLINT: a fixed seed
  for (std::size_t i = 0; i < 20'000; ++i) {
    ids.push_back(fmt::format("customer number {}", random()));
    if (i % 1000 == 0)
      ids.back() += std::string(random() % 200'000, static_cast<char>('a' + i / 1000));
    if (i % 1000 == 1)
      for (int k = 0; k < 50'000; ++k) ids.back() += static_cast<char>('!' + random() % 90);
  }
  const std::vector<std::string_view> texts(ids.begin(), ids.end());
  TableWriter writer(path, {text_column("id")});
  writer.write({0, texts.size(), {{ColumnKind::kText, {}, texts}}});
  writer.commit();
  EXPECT_EQ(metadata(path, "id", "compression"), "SNAPPY");
  EXPECT_LT(3 * std::stoi(metadata(path, "id", "total_compressed_size")),
            2 * std::stoi(metadata(path, "id", "total_uncompressed_size")));
  const Table table = read_table(TableReader(TableSource{.path = path}), {{"id", true}});
  EXPECT_TRUE(table.columns[0].texts == ids);
}

TEST(ParquetWriter, EndsARowGroupWhoseTextsAreLong) {
  const Folder folder;
  const std::string path = folder.path("t.parquet");
  TableWriter writer(path, {text_column("name")});
  std::string text(std::size_t{5} << 20U, 'a');
  for (int row = 0; row < 10; ++row) {
    text[0] = static_cast<char>('a' + row);
    const std::vector<std::string_view> texts = {text};
    writer.write({0, 1, {{ColumnKind::kText, {}, texts}}});
  }
  writer.commit();
  EXPECT_EQ(metadata(path, "name", "num_values"), "4 4 2");
}

TEST(ParquetWriter, MakesAColumnTextAgainWhoseTypeALaterTextDoesNotHave) {
  const Folder folder;
  const std::string path = folder.path("t.parquet");
  TableWriter writer(path, {text_column("code", "BIGINT", ValueType::kWholeNumber),
                            text_column("share", "DOUBLE", ValueType::kNumber),
                            text_column("member", "BOOLEAN", ValueType::kBoolean),
                            text_column("count", "BIGINT", ValueType::kWholeNumber)});
  std::vector<std::string_view> codes(40'000, "12"), shares(40'000, "1.50"),
      members(40'000, "TRUE");
  codes[1] = shares[1] = members[1] = {};
  codes.back() = "007";
  shares.back() = "half";
  members.back() = "perhaps";
  const std::vector<std::string_view> counts(40'000, "-5");
  TableChunk chunk{0, codes.size(), {}};
  for (const auto& texts : {std::span(codes), std::span(shares), std::span(members)})
    chunk.columns.push_back({ColumnKind::kText, {}, texts});
  chunk.columns.push_back({ColumnKind::kText, {}, counts});
  writer.write(chunk);
  writer.commit();
  const auto rows = [&](const char* where) {
    return only_cell(
        fmt::format("SELECT string_agg(DISTINCT concat_ws('|', code, share, member, count)) FROM "
                    "(SELECT *, row_number() OVER () AS row FROM '{}') WHERE {}",
                    path, where));
  };
  EXPECT_EQ(rows("row = 1"), "12|1.5|true|-5");
  EXPECT_EQ(rows("row = 2"), "-5") << "the others are missing";
  EXPECT_EQ(rows("row > 2 AND row < 40000"), "12|1.5|true|-5");
  EXPECT_EQ(rows("row = 40000"), "007|half|perhaps|-5");
  EXPECT_EQ(only_cell(fmt::format("SELECT typeof(count) FROM '{}'", path)), "BIGINT");
}

TEST(ParquetWriter, NamesAColumnWhoseTextsAreNoDates) {
  const Folder folder;
  TableWriter writer(folder.path("t.parquet"), {text_column("day", "DATE", ValueType::kTime)});
  const std::vector<std::string_view> days = {"2026-02-28", "2026-02-29"};
  writer.write({0, 2, {{ColumnKind::kText, {}, days}}});
  EXPECT_THAT(error_of([&] { writer.commit(); }),
              HasSubstr("'day' has a text that is not of type DATE"));
}

}  // namespace
}  // namespace otss
