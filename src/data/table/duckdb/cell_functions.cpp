#include "data/table/duckdb/cell_functions.hpp"

#include <fmt/core.h>

#include "data/table/date_text.hpp"
#include "data/table/number_format.hpp"
#include "data/table/number_text.hpp"
#include "data/table/trimmed.hpp"

namespace otss::duck {
namespace {

// Returns the text of the value; a text without data is missing. `buffer` may hold the result.
using Rewrite = std::string_view (*)(std::string_view text, const ReadingRules& rules,
                                     std::string& buffer);

std::string_view number_text(std::string_view text, const ReadingRules& rules,
                             std::string& buffer) {
  if (rules.is_missing(text)) return {};
  const char decimal = rules.decimal.value_or('.');
  if (!may_be_decorated(text, decimal)) return text;
  const auto plain = plain_number(text, decimal);
  if (plain) {
    buffer = *plain;
    return buffer;
  }
  const std::string_view inner = trimmed(text);
  // With decimal commas "1.5" is no number; a text that cannot be cast makes the reader say so.
  if (decimal == ',' && is_number(inner)) {
    buffer = fmt::format("'{}'", text);
    return buffer;
  }
  return inner.empty() || rules.is_missing(inner) ? std::string_view() : text;
}

std::string_view date_text(std::string_view text, const ReadingRules& rules, std::string& buffer) {
  const std::string_view inner = trimmed(text);
  if (inner.empty() || rules.is_missing(inner)) return {};
  const auto iso = iso_date(text, rules.date_order);
  if (!iso) return text;
  buffer = *iso;
  return buffer;
}

std::string_view level(std::string_view text, const ReadingRules& rules, std::string&) {
  const std::string_view inner = rules.trims_texts ? trimmed(text) : text;
  const bool is_blank = rules.trims_texts && inner.empty();
  return is_blank || rules.is_missing_text(inner) ? std::string_view() : inner;
}

struct FunctionInfo {
  std::shared_ptr<const ReadingRules> rules;
  Rewrite rewrite;
};

std::string_view view(duckdb_string_t& text) {
  return {duckdb_string_t_data(&text), duckdb_string_t_length(text)};
}

void rewrite_cells(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& function =
      *static_cast<const FunctionInfo*>(duckdb_scalar_function_get_extra_info(info));
  duckdb_vector column = duckdb_data_chunk_get_vector(input, 0);
  auto* from = static_cast<duckdb_string_t*>(duckdb_vector_get_data(column));
  auto* to = static_cast<duckdb_string_t*>(duckdb_vector_get_data(output));
  std::uint64_t* present = duckdb_vector_get_validity(column);
  duckdb_vector_ensure_validity_writable(output);
  std::uint64_t* kept = duckdb_vector_get_validity(output);
  const idx_t num_rows = duckdb_data_chunk_get_size(input);
  std::string buffer;
  for (idx_t row = 0; row < num_rows; ++row) {
    const bool missing = present != nullptr && !duckdb_validity_row_is_valid(present, row);
    const std::string_view text = missing ? std::string_view() : view(from[row]);
    const std::string_view value =
        missing ? std::string_view() : function.rewrite(text, *function.rules, buffer);
    if (value.data() == nullptr) {
      duckdb_validity_set_row_invalid(kept, row);
    } else if (value.data() == text.data() && value.size() == text.size() &&
               duckdb_string_is_inlined(from[row])) {
      to[row] = from[row];
    } else {
      duckdb_vector_assign_string_element_len(output, row, value.data(), value.size());
    }
  }
}

void register_function(Connection& connection, const char* name, FunctionInfo info) {
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, name);
  duckdb_scalar_function_add_parameter(function, text);
  duckdb_scalar_function_set_return_type(function, text);
  duckdb_scalar_function_set_special_handling(function);
  duckdb_scalar_function_set_extra_info(
      function, new FunctionInfo(std::move(info)),
      [](void* kept) { delete static_cast<FunctionInfo*>(kept); });
  duckdb_scalar_function_set_function(function, rewrite_cells);
  const auto state = duckdb_register_scalar_function(connection.handle(), function);
  duckdb_destroy_scalar_function(&function);
  duckdb_destroy_logical_type(&text);
  if (state != DuckDBSuccess) throw Failure(DUCKDB_ERROR_INTERNAL, "cannot register a function");
}

}  // namespace

void register_cell_functions(Connection& connection, std::shared_ptr<const ReadingRules> rules) {
  register_function(connection, "otss_number_text", {rules, &number_text});
  register_function(connection, "otss_date_text", {rules, &date_text});
  register_function(connection, "otss_level", {std::move(rules), &level});
}

std::string number_text_sql(const std::string& text) {
  return fmt::format("otss_number_text({})", text);
}

std::string date_text_sql(const std::string& text) {
  return fmt::format("otss_date_text({})", text);
}

std::string level_sql(const std::string& text, const ReadingRules& rules) {
  return rules.ignores_case ? fmt::format("lower(otss_level({}))", text)
                            : fmt::format("otss_level({})", text);
}

}  // namespace otss::duck
