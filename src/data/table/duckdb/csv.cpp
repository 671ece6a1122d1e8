#include "data/table/duckdb/csv.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>

#include "data/table/letter_case.hpp"
#include "data/table/trimmed.hpp"

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

constexpr std::string_view kDelimiters = ",;\t|";

// Excel writes and reads a first line such as "sep=;". Returns the delimiter that such a line
// announces.
std::optional<char> announced_delimiter(std::string_view line) {
  line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  if (line.size() > 2 && line.starts_with('"') && line.ends_with('"'))
    line = line.substr(1, line.size() - 2);
  constexpr std::string_view kStart = "sep=";
  if (line.size() != kStart.size() + 1) return std::nullopt;
  if (!equals_lower(line.substr(0, kStart.size()), kStart)) return std::nullopt;
  if (kDelimiters.find(line.back()) == std::string_view::npos) return std::nullopt;
  return line.back();
}

std::vector<std::string> split_header(std::string_view line, char delimiter) {
  std::vector<std::string> names = split_record(line, delimiter);
  for (std::string& name : names) name = trimmed(name);
  return names;
}

CsvHeader parse_header(std::string_view line) {
  CsvHeader best;
  for (const char delimiter : kDelimiters) {
    auto names = split_header(line, delimiter);
    if (names.size() > best.names.size()) best = {delimiter, std::move(names)};
  }
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

// Returns the first two lines of a compressed file. DuckDB decompresses the file and reads each
// line as one column, because the delimiter is a character that no text contains, and quotes are
// switched off. DuckDB also reads later lines. Errors in these lines are ignored, because only the
// first lines are needed here.
std::vector<std::string> first_packed_lines(Connection& connection, const std::string& file) {
  const auto row = connection.first_row(fmt::format(
      "SELECT first(line), last(line) FROM (SELECT line FROM read_csv([{}], auto_detect = false, "
      "delim = '\x01', header = false, quote = '', escape = '', compression = 'gzip', "
      "strict_mode = false, ignore_errors = true, columns = {{'line': 'VARCHAR'}}) LIMIT 2)",
      quoted_literal(file)));
  if (!row) return {""};
  return {row->front().value_or(""), row->back().value_or("")};
}

std::vector<std::string> first_plain_lines(const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::ifstream stream(file, std::ios::binary);
  std::vector<std::string> lines(2);
  for (std::string& line : lines) std::getline(stream, line);
  if (lines[0].starts_with(kByteOrderMark)) lines[0].erase(0, kByteOrderMark.size());
  return lines;
}

std::vector<std::string> first_lines(Connection& connection, const std::string& file,
                                     const std::string& display) {
  try {
    return is_gzip(file) ? first_packed_lines(connection, file) : first_plain_lines(file);
  } catch (const Failure&) {
    throw not_csv(display);
  }
}

void check_header_line(const std::string& line, const std::string& display) {
  constexpr std::string_view kUtf16Marks[] = {"\xFF\xFE", "\xFE\xFF"};
  if (line.starts_with(kUtf16Marks[0]) || line.starts_with(kUtf16Marks[1])) {
    throw Error(ErrorCode::kInput,
                fmt::format("'{}' is UTF-16 text, as Excel's \"Unicode Text\" is; save the file as "
                            "\"CSV UTF-8\"",
                            display));
  }
  const auto is_control = [](unsigned char c) { return c < ' ' && c != '\t' && c != '\r'; };
  if (std::any_of(line.begin(), line.end(), is_control)) throw not_csv(display);
  if (const auto end = line.find('\r'); end != std::string::npos && end + 1 < line.size()) {
    throw Error(ErrorCode::kInput,
                fmt::format("'{}' has a carriage return inside its header, which CSV does not "
                            "allow; save the file with a line feed (LF) at the end of each line",
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
}

// Returns the header of one file.
CsvHeader read_header(Connection& connection, const std::string& file, const std::string& display) {
  const std::vector<std::string> lines = first_lines(connection, file, display);
  check_header_line(lines.front(), display);
  const std::optional<char> delimiter = announced_delimiter(lines.front());
  if (!delimiter) return parse_header(lines.front());
  check_header_line(lines.back(), display);
  return {*delimiter, split_header(lines.back(), *delimiter), 1};
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

// DuckDB reads a file in buffers of this size, and one thread parses one buffer. DuckDB's default is
// 32 MB, in four parts: with it, a file of 37 MB keeps five threads busy, and the first rows of any
// file wait for 32 MB. This is also the length of the longest line that DuckDB accepts; it is the
// same as by default.
constexpr int kBufferBytes = 2'000'000;

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
    CsvHeader current = read_header(connection, file, display);
    if (header.names.empty()) {
      check_named(current.names, display);
      check_unique(current.names, display);
      header = std::move(current);
    } else if (current.names != header.names || current.delimiter != header.delimiter ||
               current.lines_before != header.lines_before) {
      throw Error(ErrorCode::kInput,
                  fmt::format("'{}' and '{}' have different headers; give files whose first lines "
                              "are the same",
                              source.files.front(), file));
    }
  }
  return header;
}

std::string csv_relation(const std::vector<std::string>& files, const CsvHeader& header) {
  std::string columns;
  for (const std::string& name : header.names) {
    columns += fmt::format("{}{}: 'VARCHAR'", columns.empty() ? "" : ", ", quoted_literal(name));
  }
  return fmt::format(
      "read_csv({}, auto_detect = false, delim = '{}', header = true, quote = '\"', escape = '\"', "
      "skip = {}, buffer_size = {}, columns = {{{}}}{})",
      quoted_list(files), header.delimiter, header.lines_before, kBufferBytes, columns,
      compression_sql(files));
}

Error csv_error(const Failure& failure, const SourceFiles& source, const CsvHeader& header) {
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
    return {ErrorCode::kInput, fmt::format("'{}' cannot be read as CSV: {}; correct the file", file,
                                           failure.one_line())};
  }
  long long number = 1;
  std::from_chars(line->data(), line->data() + line->size(), number);
  number -= header.lines_before;
  // The header is now line 1, so line n holds row n - 1.
  const std::string row = number < 2 ? fmt::format("'{}': the header", file)
                                     : fmt::format("'{}': row {}", file, number - 1);
  const auto expected = after(message, "Expected Number of Columns: ");
  if (expected) {
    const auto found = expected->find(" Found: ");
    const std::string num_found = expected->substr(found + 8);
    const std::string num_expected = expected->substr(0, found);
    const bool is_split =
        header.delimiter == ',' && std::stoull(num_found) > std::stoull(num_expected);
    return {ErrorCode::kInput,
            fmt::format("{} has {} fields where the header has {}; correct the row, or quote "
                        "fields that contain the delimiter{}",
                        row, num_found, num_expected, is_split ? ", as in \"20,000\"" : "")};
  }
  if (message.find("unterminated quote") != std::string_view::npos) {
    return {ErrorCode::kInput,
            row + " has a quote that is never closed; write a quote inside a field as \"\""};
  }
  if (message.find("not utf-8") != std::string_view::npos) {
    return {ErrorCode::kInput, row + " is not UTF-8 text; save the file as UTF-8"};
  }
  return {ErrorCode::kInput, fmt::format("{} cannot be read: {}; correct this line of the file",
                                         row, failure.one_line())};
}

}  // namespace otss::internal::duck
