#include "data/table/duckdb/cell_functions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "data/table/date_text.hpp"
#include "data/table/duckdb/scalar_function.hpp"
#include "data/table/number_format.hpp"
#include "data/table/number_text.hpp"
#include "data/table/trimmed.hpp"

namespace otss::internal::duck {
namespace {

constexpr const char* kNotANumber = "otss_number: a text is not a number";

struct CellRules {
  std::shared_ptr<const ReadingRules> rules;
  MissingWords missing_words;

  char decimal() const { return rules->decimal.value_or('.'); }
  bool is_missing_number(std::string_view text) const {
    return missing_words == MissingWords::kOfCsv ? rules->is_missing(text)
                                                 : rules->is_missing_text(text);
  }
  // Returns true if `holds` is true for some word that means a missing number.
  template <class Predicate>
  bool has_missing_number(Predicate holds) const {
    return std::ranges::any_of(
        missing_words == MissingWords::kOfCsv ? rules->missing : rules->missing_texts, holds);
  }
  // Ignores white space around the text.
  bool is_blank_or_missing(std::string_view text) const {
    const std::string_view inner = trimmed(text);
    return inner.empty() || is_missing_number(inner);
  }
};

// A function that rewrites the text of a cell. It returns a text without data if the value is
// missing. `buffer` is memory that the function may use for the result.
using Rewrite = std::string_view (*)(std::string_view text, const CellRules& rules,
                                     std::string& buffer);

std::string_view number_text(std::string_view text, const CellRules& cells, std::string& buffer) {
  if (cells.is_blank_or_missing(text)) return {};
  auto plain = plain_number(text, cells.decimal());
  if (!plain) return text;
  buffer = std::move(*plain);
  return buffer;
}

std::string_view date_text(std::string_view text, const CellRules& cells, std::string& buffer) {
  if (cells.is_blank_or_missing(text)) return {};
  auto iso = iso_date(text, cells.rules->date_order);
  if (!iso) return text;
  buffer = std::move(*iso);
  return buffer;
}

std::string_view level(std::string_view text, const CellRules& cells, std::string&) {
  const std::string_view inner = cells.rules->trims_texts ? trimmed(text) : text;
  const bool is_blank = cells.rules->trims_texts && inner.empty();
  return is_blank || cells.rules->is_missing_text(inner) ? std::string_view() : inner;
}

// The argument of an SQL function that takes one text per row.
class Argument {
 public:
  explicit Argument(duckdb_data_chunk input)
      : num_rows(duckdb_data_chunk_get_size(input)),
        texts_(static_cast<duckdb_string_t*>(
            duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 0)))),
        present_(duckdb_vector_get_validity(duckdb_data_chunk_get_vector(input, 0))) {}

  bool is_present(idx_t row) const { return is_valid(present_, row); }
  duckdb_string_t& operator[](idx_t row) const { return texts_[row]; }

  const idx_t num_rows;

 private:
  duckdb_string_t* texts_;
  std::uint64_t* present_;
};

struct RewriteInfo {
  CellRules cells;
  Rewrite rewrite;
};

void rewrite_cells(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& function = extra_info<RewriteInfo>(info);
  const Argument cells(input);
  auto* to = static_cast<duckdb_string_t*>(duckdb_vector_get_data(output));
  duckdb_vector_ensure_validity_writable(output);
  std::uint64_t* kept = duckdb_vector_get_validity(output);
  std::string buffer;
  for (idx_t row = 0; row < cells.num_rows; ++row) {
    std::string_view text, value;
    if (cells.is_present(row)) {
      text = text_view(cells[row]);
      value = function.rewrite(text, function.cells, buffer);
    }
    if (value.data() == nullptr) {
      duckdb_validity_set_row_invalid(kept, row);
    } else if (value.data() == text.data() && value.size() == text.size() &&
               duckdb_string_is_inlined(cells[row])) {
      to[row] = cells[row];
    } else {
      duckdb_vector_assign_string_element_len(output, row, value.data(), value.size());
    }
  }
}

struct NumberInfo {
  CellRules cells;
  NumberForm form;
  bool is_strict;  // true: a text that is not a number is an error
};

// Marks rows of an output as missing. Most chunks have no missing value, and then the output needs
// no marks.
class MissingRows {
 public:
  explicit MissingRows(duckdb_vector output) : output_(output) {}

  void mark(idx_t row) {
    if (validity_ == nullptr) {
      duckdb_vector_ensure_validity_writable(output_);
      validity_ = duckdb_vector_get_validity(output_);
    }
    validity_[row / 64] &= ~(std::uint64_t{1} << (row % 64));
  }

 private:
  duckdb_vector output_;
  std::uint64_t* validity_ = nullptr;
};

void texts_to_numbers(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const auto& function = extra_info<NumberInfo>(info);
  const CellRules& rules = function.cells;
  const Argument cells(input);
  auto* numbers = static_cast<double*>(duckdb_vector_get_data(output));
  MissingRows missing(output);
  // Most cells are short plain numbers. They need no comparison with the words for a missing
  // number, unless such a word is itself a short number, as -999 is.
  const bool has_short_numbers =
      rules.decimal() == '.' && !rules.has_missing_number([](std::string_view word) {
        return short_number(word).has_value();
      });
  for (idx_t row = 0; row < cells.num_rows; ++row) {
    std::optional<double> number;
    if (cells.is_present(row)) {
      const std::string_view text = text_view(cells[row]);
      if (has_short_numbers) number = short_number(text);
      if (!number && !rules.is_missing_number(text)) {
        number = function.form == NumberForm::kPlain ? parse_number(text)
                                                     : parse_written_number(text, rules.decimal());
        if (!number && function.is_strict && !rules.is_blank_or_missing(text))
          return duckdb_scalar_function_set_error(info, kNotANumber);
      }
    }
    numbers[row] = number.value_or(0);
    if (!number) missing.mark(row);
  }
}

const char* number_function(NumberForm form, bool is_strict) {
  if (form == NumberForm::kPlain) return is_strict ? "otss_plain_number" : "otss_try_plain_number";
  return is_strict ? "otss_number" : "otss_try_number";
}

}  // namespace

void register_cell_functions(Connection& connection, std::shared_ptr<const ReadingRules> rules,
                             MissingWords missing_words) {
  const CellRules cells{std::move(rules), missing_words};
  for (const NumberForm form : {NumberForm::kPlain, NumberForm::kWritten}) {
    for (const bool is_strict : {true, false}) {
      register_function(
          connection, {number_function(form, is_strict), {DUCKDB_TYPE_VARCHAR}, DUCKDB_TYPE_DOUBLE},
          texts_to_numbers, NumberInfo{cells, form, is_strict});
    }
  }
  const auto add_rewrite = [&](const char* name, Rewrite rewrite) {
    register_function(connection, {name, {DUCKDB_TYPE_VARCHAR}, DUCKDB_TYPE_VARCHAR}, rewrite_cells,
                      RewriteInfo{cells, rewrite});
  };
  add_rewrite("otss_number_text", &number_text);
  add_rewrite("otss_date_text", &date_text);
  add_rewrite("otss_level", &level);
}

std::string number_sql(const std::string& text, NumberForm form) {
  return fmt::format("{}({})", number_function(form, true), text);
}

std::string try_number_sql(const std::string& text, NumberForm form) {
  return fmt::format("{}({})", number_function(form, false), text);
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

bool is_not_a_number(const Failure& failure) {
  return std::string_view(failure.what()).find(kNotANumber) != std::string_view::npos;
}

}  // namespace otss::internal::duck
