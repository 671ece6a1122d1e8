#include <fmt/core.h>

#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/number_limit.hpp"
#include "data/terms/term_columns.hpp"
#include "otss/base/error.hpp"
#include "otss/data/feasible_set.hpp"

namespace otss::internal {
namespace {

Error cell_error(const TableReader& reader, std::size_t row, const std::string& column,
                 const std::string& what) {
  return Error(ErrorCode::kInput,
               fmt::format("{}: row {}, column {}: {}", reader.name(), row + 1, column, what));
}

std::vector<std::string> take_texts(const TableReader& reader, Column column) {
  for (std::size_t row = 0; row < column.texts.size(); ++row) {
    if (column.missing[row]) {
      throw cell_error(reader, row, column.name,
                       "the value is missing; give every row a value in this column");
    }
  }
  return std::move(column.texts);
}

void check_factor(const TableReader& reader, const Column& column) {
  for (std::size_t row = 0; row < column.numbers.size(); ++row) {
    const double value = column.numbers[row];
    if (std::abs(value) <= kLargestNumber) continue;
    if (std::isfinite(value)) {
      throw cell_error(
          reader, row, column.name,
          fmt::format("the value {0:g} is out of range; a factor must be between -{1:g} "
                      "and {1:g}; correct the value",
                      value, kLargestNumber));
    }
    throw cell_error(reader, row, column.name,
                     std::isnan(value)
                         ? "the value is missing; give the factor a number in every row"
                         : "the value is infinite; give the factor a finite number in every row");
  }
}

// The ids and factors of a library or of a candidate table. No id is missing.
struct DecisionRows {
  // One entry per row; empty if the column was not requested.
  std::vector<std::string> contexts, ids;
  std::vector<double> factors;  // the factors of each row, rows × J
};

// Reads the rows of a library or of a candidate table. `context_id_column` is null for a library.
DecisionRows read_rows(const TableReader& reader, const std::string* context_id_column,
                       const std::string& id_column, const std::vector<std::string>& factors) {
  std::vector<ColumnRequest> requests;
  if (context_id_column != nullptr)
    requests.push_back({reader.column(*context_id_column, "--context-id").name, true});
  if (!id_column.empty()) requests.push_back({reader.column(id_column, "--id").name, true});
  const std::size_t num_texts = requests.size();
  // If no ids are requested, the decisions are used only to centre the factors of a log. No model
  // exists yet, so the message must not mention a model.
  const char* role = id_column.empty() ? "a factor, which --center-factors needs in this table too"
                                       : "a factor of the model";
  for (const std::string& factor : factors) {
    require_factor(reader.columns(), factor, role, reader.name());
    requests.push_back({factor, false});
  }

  Table table = read_table_with_terms(reader, requests);
  if (table.num_rows == 0) {
    throw Error(
        ErrorCode::kInput,
        fmt::format("{}: the table has no rows; give at least one decision", reader.name()));
  }
  DecisionRows rows;
  if (context_id_column != nullptr)
    rows.contexts = take_texts(reader, std::move(table.columns.front()));
  if (!id_column.empty()) rows.ids = take_texts(reader, std::move(table.columns[num_texts - 1]));
  rows.factors.resize(table.num_rows * factors.size());
  for (std::size_t j = 0; j < factors.size(); ++j) {
    const Column& column = table.columns[num_texts + j];
    check_factor(reader, column);
    for (std::size_t row = 0; row < table.num_rows; ++row) {
      rows.factors[row * factors.size() + j] = column.numbers[row];
    }
  }
  return rows;
}

void check_unique(const TableReader& reader, const std::string& column,
                  const std::vector<std::string>& ids) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const auto [first, is_new] = seen.emplace(ids[row], row);
    if (is_new) continue;
    throw Error(ErrorCode::kInput,
                fmt::format("{}: row {}, column {}: id '{}' is already used in row {}; give every "
                            "decision an id of its own",
                            reader.name(), row + 1, column, ids[row], first->second + 1));
  }
}

void check_unique_within_contexts(const FeasibleSet& candidates, const std::string& id_column) {
  for (std::size_t context = 0; context < candidates.num_contexts(); ++context) {
    const ContextDecisions decisions = candidates.at(context);
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      if (seen.insert(decisions.id(i)).second) continue;
      throw Error(
          ErrorCode::kInput,
          fmt::format("{}: row {}, column {}: id '{}' is listed twice for the same context; keep "
                      "one of the two rows",
                      candidates.table(), decisions.rows()[i] + 1, id_column, decisions.id(i)));
    }
  }
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

FeasibleSet read_library(const TableReader& reader, const std::string& id_column,
                         const std::vector<std::string>& factors) {
  DecisionRows rows = read_rows(reader, nullptr, id_column, factors);
  check_unique(reader, id_column, rows.ids);
  return FeasibleSet::of_library(std::move(rows.ids), static_cast<int>(factors.size()),
                                 std::move(rows.factors), reader.name());
}

FeasibleSet read_library(const std::string& path, const std::string& id_column,
                         const std::vector<std::string>& factors) {
  return read_library(TableReader({path, ""}), id_column, factors);
}

FeasibleSet read_candidates(const TableReader& reader, const std::string& context_id_column,
                            const std::string& id_column, const std::vector<std::string>& factors) {
  DecisionRows rows = read_rows(reader, &context_id_column, id_column, factors);
  FeasibleSet candidates = FeasibleSet::of_candidates(
      rows.contexts, std::move(rows.ids), static_cast<int>(factors.size()), std::move(rows.factors),
      reader.name(), context_id_column);
  if (!id_column.empty()) check_unique_within_contexts(candidates, id_column);
  return candidates;
}

FeasibleSet read_candidates(const std::string& path, const std::string& context_id_column,
                            const std::string& id_column, const std::vector<std::string>& factors) {
  return read_candidates(TableReader({path, ""}), context_id_column, id_column, factors);
}

}  // namespace otss
