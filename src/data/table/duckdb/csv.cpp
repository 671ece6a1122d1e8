#include "data/table/duckdb/csv.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>

#include "data/table/letter_case.hpp"

namespace otss::internal::duck {
namespace {

std::vector<std::string> split_record(std::string_view line, char delimiter) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == delimiter && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

void trim(std::string& text) {
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  text.erase(std::find_if_not(text.rbegin(), text.rend(), is_space).base(), text.end());
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_space));
}

CsvHeader parse_header(std::string_view line) {
  CsvHeader best;
  for (const char delimiter : {',', ';', '\t', '|'}) {
    auto names = split_record(line, delimiter);
    if (names.size() > best.names.size()) best = {delimiter, std::move(names)};
  }
  for (std::string& name : best.names) trim(name);
  return best;
}

// Returns true if the text is UTF-8. Column names are used in SQL and JSON, which require UTF-8.
// The first byte of a character says how many continuation bytes follow.
bool is_utf8(std::string_view text) {
  int following = 0;
  for (const unsigned char byte : text) {
    const bool continues = (byte & 0xC0U) == 0x80U;
    if (continues != (following > 0)) return false;
    if (continues) {
      --following;
    } else if (byte >= 0x80U) {
      following = byte >= 0xF0U ? 3 : byte >= 0xE0U ? 2 : 1;
    }
  }
  return following == 0;
}

Error not_csv(const std::string& file) {
  return {ErrorCode::kInput,
          fmt::format("'{}' is not CSV: its first line is not text; check the file and its suffix",
                      file)};
}

// Returns the first line of a compressed file. DuckDB decompresses the file and reads each line as
// one column, because the delimiter is a character that no text contains, and quotes are switched
// off. DuckDB also reads later lines. Errors in these lines are ignored, because only the first
// line is needed here.
std::string first_packed_line(Connection& connection, const std::string& file) {
  const auto row = connection.first_row(fmt::format(
      "SELECT line FROM read_csv([{}], auto_detect = false, delim = '\x01', header = false, quote "
      "= '', escape = '', compression = 'gzip', "
      "strict_mode = false, ignore_errors = true, columns = {{'line': 'VARCHAR'}}) LIMIT 1",
      quoted_literal(file)));
  return row ? row->front().value_or("") : "";
}

std::string first_plain_line(const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  std::getline(stream, line);
  return line.starts_with(kByteOrderMark) ? line.substr(kByteOrderMark.size()) : line;
}

std::string first_line(Connection& connection, const std::string& file,
                       const std::string& display) {
  std::string line;
  try {
    line = is_gzip(file) ? first_packed_line(connection, file) : first_plain_line(file);
  } catch (const Failure&) {
    throw not_csv(display);
  }
  const auto is_control = [](unsigned char c) { return c < ' ' && c != '\t' && c != '\r'; };
  if (std::any_of(line.begin(), line.end(), is_control)) throw not_csv(display);
  if (const auto end = line.find('\r'); end != std::string::npos && end + 1 < line.size()) {
    throw Error(ErrorCode::kInput,
                fmt::format("'{}' has a carriage return inside its header: its lines end in a way "
                            "that CSV does not have; save it with line feeds as line ends",
                            display));
  }
  if (!is_utf8(line)) {
    throw Error(
        ErrorCode::kInput,
        fmt::format("the header of '{}' is not UTF-8 text; save the file as UTF-8", display));
  }
  if (line.find_first_not_of(" \t\r") == std::string::npos) {
    throw Error(ErrorCode::kInput,
                fmt::format("'{}' has no header: its first line is blank; write the names of the "
                            "columns into this line",
                            display));
  }
  return line;
}

// Throws an Error if a column has no name. If this code made up a name instead, a row index could
// become a context, and the user would not notice.
void check_named(const std::vector<std::string>& names, const std::string& file) {
  const auto nameless = std::find(names.begin(), names.end(), "");
  if (nameless == names.end()) return;
  throw Error(ErrorCode::kInput,
              fmt::format("the header of '{}' has no name for column {}; give this column a name; "
                          "if it is a row index, save the file without it (pandas: index=False)",
                          file, nameless - names.begin() + 1));
}

void check_unique(const std::vector<std::string>& names, const std::string& file) {
  // The keys are column names in lower case, because SQL ignores the case of names.
  std::map<std::string, std::string> seen;
  for (const std::string& name : names) {
    const auto [other, is_new] = seen.emplace(lower_case(name), name);
    if (is_new) continue;
    const std::string what =
        other->second == name ? fmt::format("names column '{}' twice", name)
                              : fmt::format("has columns '{}' and '{}', which differ only in case",
                                            other->second, name);
    throw Error(ErrorCode::kInput,
                fmt::format("the header of '{}' {}; rename one of the two columns", file, what));
  }
}

// Finds `label` in DuckDB's message and returns the text between `label` and the end of its line.
// Returns std::nullopt if the message does not contain `label`.
std::optional<std::string> after(std::string_view message, std::string_view label) {
  const auto at = message.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  const auto rest = message.substr(at + label.size());
  return std::string(rest.substr(0, rest.find('\n')));
}

}  // namespace

CsvHeader read_csv_headers(Connection& connection, const SourceFiles& source) {
  CsvHeader header;
  for (const std::string& file : source.files) {
    const std::string display = source.display(file);
    CsvHeader current = parse_header(first_line(connection, file, display));
    if (header.names.empty()) {
      check_named(current.names, display);
      check_unique(current.names, display);
      header = std::move(current);
    } else if (current.names != header.names || current.delimiter != header.delimiter) {
      throw Error(ErrorCode::kInput,
                  fmt::format("'{}' and '{}' have different headers; give files whose first lines "
                              "are the same",
                              source.files.front(), file));
    }
  }
  return header;
}

std::string csv_relation(const SourceFiles& source, const CsvHeader& header) {
  std::string columns;
  for (const std::string& name : header.names) {
    columns += fmt::format("{}{}: 'VARCHAR'", columns.empty() ? "" : ", ", quoted_literal(name));
  }
  return fmt::format(
      "read_csv({}, auto_detect = false, delim = '{}', header = true, quote = '\"', escape = '\"', "
      "columns = {{{}}}{})",
      quoted_list(source.files), header.delimiter, columns, compression_sql(source.files));
}

Error csv_error(const Failure& failure, const SourceFiles& source) {
  const std::string_view message = failure.what();
  const std::string file = source.display(after(message, "  file = ").value_or(source.name));
  const auto line = after(message, "CSV Error on Line: ");
  if (message.find("state machine reached an invalid state") != std::string_view::npos) {
    return {ErrorCode::kInput,
            fmt::format("'{}' cannot be read as CSV: it has a quote inside a field that is not "
                        "quoted, or lines that end in different ways; save it with quotes around "
                        "whole fields and the same line end everywhere",
                        file)};
  }
  if (!line) {
    return {ErrorCode::kInput,
            fmt::format("'{}' cannot be read as CSV: {}", file, failure.one_line())};
  }
  long long number = 1;
  std::from_chars(line->data(), line->data() + line->size(), number);
  // The header is line 1 of the file, so line n holds row n - 1.
  const std::string row = number < 2 ? fmt::format("'{}': the header", file)
                                     : fmt::format("'{}': row {}", file, number - 1);
  const auto expected = after(message, "Expected Number of Columns: ");
  if (expected) {
    const auto found = expected->find(" Found: ");
    return {ErrorCode::kInput,
            fmt::format("{} has {} fields where the header has {}; correct the row, or quote "
                        "fields that contain the delimiter",
                        row, expected->substr(found + 8), expected->substr(0, found))};
  }
  if (message.find("unterminated quote") != std::string_view::npos) {
    return {ErrorCode::kInput,
            row + " has a quote that is never closed; write a quote inside a field as \"\""};
  }
  if (message.find("not utf-8") != std::string_view::npos) {
    return {ErrorCode::kInput, row + " is not UTF-8 text; save the file as UTF-8"};
  }
  return {ErrorCode::kInput, fmt::format("{} cannot be read: {}", row, failure.one_line())};
}

}  // namespace otss::internal::duck
