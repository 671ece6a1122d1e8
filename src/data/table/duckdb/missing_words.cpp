#include "data/table/duckdb/missing_words.hpp"

#include <fmt/core.h>

namespace otss::internal::duck {
namespace {

constexpr const char* kFunctionName = "otss_present";

void words_to_null(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& rules =
      *static_cast<const ReadingRules*>(duckdb_scalar_function_get_extra_info(info));
  duckdb_vector column = duckdb_data_chunk_get_vector(input, 0);
  auto* from = static_cast<duckdb_string_t*>(duckdb_vector_get_data(column));
  auto* to = static_cast<duckdb_string_t*>(duckdb_vector_get_data(output));
  std::uint64_t* present = duckdb_vector_get_validity(column);
  duckdb_vector_ensure_validity_writable(output);
  std::uint64_t* kept = duckdb_vector_get_validity(output);
  const idx_t num_rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < num_rows; ++row) {
    const bool missing = present != nullptr && !duckdb_validity_row_is_valid(present, row);
    if (missing || rules.is_missing(text_view(from[row]))) {
      duckdb_validity_set_row_invalid(kept, row);
    } else if (duckdb_string_is_inlined(from[row])) {
      to[row] = from[row];
    } else {
      const std::string_view text = text_view(from[row]);
      duckdb_vector_assign_string_element_len(output, row, text.data(), text.size());
    }
  }
}

}  // namespace

void register_missing_words(Connection& connection, const ReadingRules& rules) {
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  duckdb_scalar_function function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, kFunctionName);
  duckdb_scalar_function_add_parameter(function, text);
  duckdb_scalar_function_set_return_type(function, text);
  duckdb_scalar_function_set_special_handling(function);
  duckdb_scalar_function_set_extra_info(function, new ReadingRules(rules), [](void* kept) {
    delete static_cast<ReadingRules*>(kept);
  });
  duckdb_scalar_function_set_function(function, words_to_null);
  const auto state = duckdb_register_scalar_function(connection.handle(), function);
  duckdb_destroy_scalar_function(&function);
  duckdb_destroy_logical_type(&text);
  if (state != DuckDBSuccess) {
    throw Failure(DUCKDB_ERROR_INTERNAL,
                  "DuckDB refused the SQL function that recognises missing values; please report "
                  "this as a bug in otss");
  }
}

std::string csv_value_sql(const std::string& quoted_column) {
  return fmt::format("{}({})", kFunctionName, quoted_column);
}

}  // namespace otss::internal::duck
