#include "decide/decision_rows.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "otss/base/error.hpp"

namespace otss {
namespace {

Error cell_error(const TableReader& reader, std::size_t row, const std::string& column,
                 const std::string& what) {
  return Error(ErrorCode::kInput,
               fmt::format("{}: row {}, column {}: {}", reader.name(), row + 1, column, what));
}

std::vector<std::string> take_texts(const TableReader& reader, Column column) {
  for (std::size_t row = 0; row < column.texts.size(); ++row) {
    if (column.missing[row]) {
      throw cell_error(reader, row, column.name, "missing; give every row one");
    }
  }
  return std::move(column.texts);
}

void check_factor(const TableReader& reader, const Column& column) {
  for (std::size_t row = 0; row < column.numbers.size(); ++row) {
    const double value = column.numbers[row];
    if (std::isfinite(value)) continue;
    throw cell_error(reader, row, column.name,
                     std::isnan(value) ? "missing; a factor needs a number in every row"
                                       : "infinite; a factor needs a finite number");
  }
}

std::vector<ColumnRequest> requests(const TableReader& reader, const std::vector<TextColumn>& texts,
                                    const std::vector<std::string>& factors) {
  std::vector<ColumnRequest> wanted;
  for (const TextColumn& text : texts) {
    wanted.push_back({reader.column(text.name, text.option).name, true});
  }
  for (const std::string& factor : factors) {
    wanted.push_back({reader.column(factor, "a factor of the model").name, false});
  }
  return wanted;
}

}  // namespace

DecisionRows read_decision_rows(const TableReader& reader, const std::vector<TextColumn>& texts,
                                const std::vector<std::string>& factors) {
  Table table = read_table(reader, requests(reader, texts, factors));
  if (table.num_rows == 0) {
    throw Error(ErrorCode::kInput,
                fmt::format("{}: no rows; it needs at least one decision", reader.name()));
  }
  DecisionRows rows;
  rows.num_rows = table.num_rows;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    rows.texts.push_back(take_texts(reader, std::move(table.columns[i])));
  }
  rows.factors.resize(table.num_rows * factors.size());
  for (std::size_t j = 0; j < factors.size(); ++j) {
    const Column& column = table.columns[texts.size() + j];
    check_factor(reader, column);
    for (std::size_t row = 0; row < table.num_rows; ++row) {
      rows.factors[row * factors.size() + j] = column.numbers[row];
    }
  }
  return rows;
}

}  // namespace otss
