#include "lab/journey/derivation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <filesystem>

#include "data/table/database.hpp"
#include "lab/journey/sql.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

namespace fs = std::filesystem;

struct RawTable {
  std::string name;
  std::vector<std::string> columns;
  bool ours = false;  // true if we wrote the table; false if it is part of the R package
};

// Lists the tables and columns that the SQL reads.
const std::vector<RawTable>& raw_tables() {
  static const std::vector<RawTable> tables = {
      {"transactions",
       {"household_id", "store_id", "basket_id", "product_id", "quantity", "sales_value",
        "retail_disc", "coupon_disc", "coupon_match_disc", "week", "transaction_timestamp"}},
      {"products", {"product_id", "department", "brand", "product_category", "product_type"}},
      {"demographics",
       {"household_id", "age", "income", "home_ownership", "marital_status", "household_size",
        "household_comp", "kids_count"}},
      {"campaigns", {"campaign_id", "household_id"}},
      {"campaign_descriptions", {"campaign_id", "start_date"}},
      {"coupon_redemptions", {"household_id", "redemption_date"}},
      {"breakfast_items",
       {"item", "role", "health", "convenience", "indulgence", "kid_appeal"},
       true},
      {"breakfast_rules", {"priority", "product_category", "product_type_regex", "item"}, true}};
  return tables;
}

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

Error missing_table(const std::string& folder, const RawTable& table) {
  const std::string source =
      table.ours ? fmt::format(
                       "add this table with the columns {}; docs/method.md (\"The retail "
                       "study\") describes the table",
                       listed(table.columns))
                 : "export this table of the R package completejourney (CC0) to this folder as CSV";
  return {ErrorCode::kInput,
          fmt::format("'{}' has no {}.csv, .csv.gz or .parquet; {}", folder, table.name, source)};
}

Error missing_folder(const std::string& folder) {
  std::vector<std::string> names;
  for (const RawTable& table : raw_tables()) names.push_back(table.name);
  return {
      ErrorCode::kInput,
      fmt::format("'{}' is not a folder; give --data a folder with the tables of the R package "
                  "completejourney (CC0) and our two breakfast tables, each as a CSV, CSV.gz or "
                  "Parquet file: {}",
                  folder, listed(names))};
}

std::string find_table(const std::string& folder, const RawTable& table) {
  for (const char* ending : {".csv", ".csv.gz", ".parquet"}) {
    const fs::path path = fs::path(folder) / (table.name + ending);
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path.string();
  }
  throw missing_table(folder, table);
}

std::vector<NamedSource> find_tables(const std::string& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) throw missing_folder(folder);
  std::vector<NamedSource> sources;
  for (const RawTable& table : raw_tables())
    sources.push_back({table.name, find_table(folder, table)});
  return sources;
}

void check_columns(Database& database, const std::vector<NamedSource>& sources) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const std::string& column : raw_tables()[i].columns) {
      if (database.has_column(sources[i].name, column)) continue;
      throw Error(
          ErrorCode::kInput,
          fmt::format("'{}' has no column '{}'; add this column: the study needs the columns {}",
                      sources[i].path, column, listed(raw_tables()[i].columns)));
    }
  }
}

JourneyCounts read_counts(Database& database) {
  const Table table = database.select(journey_sql::kCounts);
  const auto count = [&](std::string_view name) {
    return static_cast<std::size_t>(column_of(table, name).numbers.at(0));
  };
  return {.transactions = count("transactions"),
          .with_product = count("with_product"),
          .sold = count("sold"),
          .sold_breakfast = count("sold_breakfast"),
          .lines = count("lines"),
          .contexts = count("contexts"),
          .households = count("households"),
          .described_contexts = count("described_contexts"),
          .described_households = count("described_households"),
          .bundle_weeks = count("bundle_weeks"),
          .bundles = count("bundles"),
          .eligible = count("eligible")};
}

// Throws an Error if a context column has a NULL. The SQL writes NULL for a label of the
// demographics that it does not know.
void check_known(const Table& contexts, const std::string& folder) {
  for (const Column& column : contexts.columns) {
    const auto missing = std::ranges::find(column.missing, true);
    if (missing == column.missing.end()) continue;
    const auto row = missing - column.missing.begin();
    throw Error(ErrorCode::kInput,
                fmt::format("'{}': '{}' of household {} is missing or has an unknown label; use "
                            "the labels of the R package completejourney",
                            folder, column.name, column_of(contexts, "household").numbers[row]));
  }
}

void check_sizes(const DerivedTables& derived, const JourneySizes& sizes,
                 const std::string& folder) {
  const auto check = [&](std::size_t found, std::size_t wanted, const char* what) {
    if (found >= wanted) return;
    throw Error(
        ErrorCode::kInput,
        fmt::format("'{}': the tables in this folder give {} {}, but the study needs {}; use "
                    "the whole year of transactions",
                    folder, found, what, wanted));
  };
  check(derived.train.num_rows, sizes.train_rows, "training contexts");
  check(derived.test.num_rows, sizes.test_rows, "test contexts");
  check(derived.bundles.num_rows, sizes.library, "bundles");
}

}  // namespace

const Column& column_of(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table.columns, name, &Column::name);
  assert(found != table.columns.end());
  return *found;
}

DerivedTables derive_journey(const std::string& folder, const JourneySizes& sizes) {
  const std::vector<NamedSource> sources = find_tables(folder);
  Database database(sources);
  check_columns(database, sources);
  DerivedTables derived;
  try {
    database.execute(fmt::format("CREATE TABLE sizes AS SELECT {} AS train_rows, {} AS test_rows",
                                 sizes.train_rows, sizes.test_rows));
    for (const char* step : {journey_sql::kLines, journey_sql::kHistory, journey_sql::kContexts,
                             journey_sql::kBundles, journey_sql::kRows}) {
      database.execute(step);
    }
    derived.train = database.select("SELECT * FROM train_contexts");
    derived.test = database.select("SELECT * FROM test_contexts");
    derived.bundles = database.select("SELECT * FROM bundles");
    derived.first_bought = database.select("SELECT * FROM first_bought");
    derived.role_shares = database.select("SELECT * FROM everybodys_roles");
    derived.counts = read_counts(database);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("'{}': {}; correct the tables in this folder", folder, error.what()));
  }
  check_known(derived.train, folder);
  check_known(derived.test, folder);
  check_sizes(derived, sizes, folder);
  return derived;
}

}  // namespace otss::internal
