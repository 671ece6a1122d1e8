#include "data/table/duckdb/number_cells.hpp"

#include <fmt/core.h>

#include <optional>
#include <string_view>

#include "data/table/number_text.hpp"

namespace otss::internal::duck {
namespace {

constexpr const char* kStrictName = "otss_number";
constexpr const char* kLenientName = "otss_try_number";

constexpr const char* kNotANumber = "otss_number: a text is not a number";

struct NumberRule {
  ReadingRules missing;  // the words for a missing number
  bool is_strict;        // true: a text that is not a number is an error
};

void texts_to_numbers(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& rule = *static_cast<const NumberRule*>(duckdb_scalar_function_get_extra_info(info));
  duckdb_vector column = duckdb_data_chunk_get_vector(input, 0);
  auto* texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(column));
  auto* numbers = static_cast<double*>(duckdb_vector_get_data(output));
  std::uint64_t* present = duckdb_vector_get_validity(column);
  duckdb_vector_ensure_validity_writable(output);
  std::uint64_t* kept = duckdb_vector_get_validity(output);
  const idx_t num_rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < num_rows; ++row) {
    const bool is_present = present == nullptr || duckdb_validity_row_is_valid(present, row);
    std::optional<double> number;
    if (is_present && !rule.missing.is_missing(text_view(texts[row]))) {
      number = parse_number(text_view(texts[row]));
      if (!number && rule.is_strict) return duckdb_scalar_function_set_error(info, kNotANumber);
    }
    numbers[row] = number.value_or(0);
    duckdb_validity_set_row_validity(kept, row, number.has_value());
  }
}

void register_function(Connection& connection, const char* name, const NumberRule& rule) {
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE);
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, name);
  duckdb_scalar_function_add_parameter(function, text);
  duckdb_scalar_function_set_return_type(function, number);
  duckdb_scalar_function_set_special_handling(function);
  duckdb_scalar_function_set_extra_info(function, new NumberRule(rule),
                                        [](void* kept) { delete static_cast<NumberRule*>(kept); });
  duckdb_scalar_function_set_function(function, texts_to_numbers);
  const auto state = duckdb_register_scalar_function(connection.handle(), function);
  duckdb_destroy_scalar_function(&function);
  duckdb_destroy_logical_type(&text);
  duckdb_destroy_logical_type(&number);
  if (state != DuckDBSuccess) throw Failure(DUCKDB_ERROR_INTERNAL, "cannot register a function");
}

}  // namespace

void register_number_cells(Connection& connection, const ReadingRules* rules) {
  ReadingRules missing;
  missing.missing.clear();
  if (rules != nullptr) missing = *rules;
  register_function(connection, kStrictName, {missing, true});
  register_function(connection, kLenientName, {missing, false});
}

std::string number_sql(const std::string& quoted_column) {
  return fmt::format("{}({})", kStrictName, quoted_column);
}

std::string try_number_sql(const std::string& quoted_column) {
  return fmt::format("{}({})", kLenientName, quoted_column);
}

bool is_not_a_number(const Failure& failure) {
  return std::string_view(failure.what()).find(kNotANumber) != std::string_view::npos;
}

}  // namespace otss::internal::duck
