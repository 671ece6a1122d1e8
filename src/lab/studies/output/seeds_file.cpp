#include "lab/studies/output/seeds_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/table/gzip_check.hpp"
#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {
namespace {

constexpr ScorecardColumn kSecondsColumn{"seconds", &Scorecard::seconds};

// The method of the rows that say how long a unit took, and their metrics.
constexpr const char* kRun = "run";

struct TimeColumn {
  const char* name;
  double FinishedUnit::*field;
};
constexpr TimeColumn kTimeColumns[] = {{"cpu_seconds", &FinishedUnit::cpu_seconds},
                                       {"elapsed_seconds", &FinishedUnit::elapsed_seconds}};

std::vector<ScorecardColumn> metrics() {
  std::vector<ScorecardColumn> all(std::begin(kScorecardColumns), std::end(kScorecardColumns));
  all.push_back(kSecondsColumn);
  return all;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

const char* const kTextColumns[] = {"study",  "setting", "method",  "refit",
                                    "metric", "version", "machine", "kernels"};

[[noreturn]] void refuse_seeds(const std::string& path, const std::string& why) {
  throw Error(
      ErrorCode::kInput,
      fmt::format("{}: {}; give --from a file seeds.csv.gz that otss study wrote", path, why));
}

// One row of the file.
struct SeedsRow {
  std::map<std::string, std::string> texts;
  std::uint64_t seed = 0;
  double value = 0;
};

std::vector<SeedsRow> rows_of_file(const std::string& path) {
  const TableReader reader(path);
  std::vector<ColumnRequest> requests;
  for (const char* name : kTextColumns) requests.push_back({.name = name, .as_text = true});
  requests.push_back({.name = "seed"});
  requests.push_back({.name = "value"});
  for (const ColumnRequest& request : requests) {
    if (!reader.has_column(request.name))
      refuse_seeds(path, fmt::format("the table has no column '{}'", request.name));
  }
  const Table table = read_table(reader, requests);
  std::vector<SeedsRow> rows(table.num_rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = 0; c < std::size(kTextColumns); ++c)
      rows[i].texts[kTextColumns[c]] = table.columns[c].texts[i];
    rows[i].seed = static_cast<std::uint64_t>(table.columns[table.columns.size() - 2].numbers[i]);
    rows[i].value = table.columns.back().numbers[i];
  }
  return rows;
}

void add_row(const std::string& path, const SeedsRow& row, SeedsFile& file) {
  const auto& texts = row.texts;
  FinishedUnit& unit = file.units[{texts.at("setting"), row.seed}];
  if (texts.at("method") == kRun) {
    for (const TimeColumn& column : kTimeColumns) {
      if (texts.at("metric") == column.name) unit.*column.field = row.value;
    }
    return;
  }
  if (unit.results.empty() || unit.results.back().method != texts.at("method"))
    unit.results.push_back(
        {.method = texts.at("method"),
         .made_by = {texts.at("version"), texts.at("machine"), texts.at("kernels")}});
  const std::vector<ScorecardColumn> known = metrics();
  const auto metric = std::ranges::find(known, texts.at("metric"), &ScorecardColumn::name);
  if (metric == known.end())
    refuse_seeds(path, fmt::format("the metric '{}' is not known", texts.at("metric")));
  unit.results.back().measured.*metric->field = row.value;
}

}  // namespace

std::string to_bytes(const SeedsFile& file) {
  std::string text = "study,setting,seed,method,refit,metric,value,version,machine,kernels\n";
  for (const auto& [key, unit] : file.units) {
    const auto add = [&, &place = key](const MethodResult& result, std::string_view metric,
                                       double value) {
      if (std::isnan(value)) return;
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", file.study, place.first, place.second,
                          result.method, file.refit, metric, value, result.made_by.version,
                          quoted(result.made_by.machine), result.made_by.kernels);
    };
    for (const MethodResult& result : unit.results) {
      for (const ScorecardColumn& metric : metrics())
        add(result, metric.name, result.measured.*metric.field);
    }
    const MethodResult run{kRun, {}};  // perhaps of several machines
    for (const TimeColumn& column : kTimeColumns) add(run, column.name, unit.*column.field);
  }
  return gzip_file_of(text);
}

SeedsFile read_seeds_file(const std::string& path) {
  SeedsFile file;
  const std::vector<SeedsRow> rows = rows_of_file(path);
  file.study = rows.front().texts.at("study");
  file.refit = rows.front().texts.at("refit") == "true";
  for (const SeedsRow& row : rows) add_row(path, row, file);
  return file;
}

}  // namespace otss::internal
