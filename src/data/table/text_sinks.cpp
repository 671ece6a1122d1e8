// This file writes CSV (RFC 4180) and JSON. It uses no library for these formats, since writing a
// value takes one or two lines of code.
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/atomic_file.hpp"
#include "data/table/letter_case.hpp"
#include "data/table/number_text.hpp"
#include "data/table/table_sink.hpp"
#include "otss/base/error.hpp"
#include "otss/base/printable.hpp"

namespace otss::internal {
namespace {

// The output is a file, or standard output if the path is empty.
class Output {
 public:
  explicit Output(const std::string& path) {
    if (!path.empty()) file_.emplace(path);
  }

  void write(const std::string& text) {
    if (file_) {
      file_->write(text);
    } else if (!write_fully(STDOUT_FILENO,
                            is_terminal_ ? printable(text, LineBreaks::kKeep) : text)) {
      throw Error(ErrorCode::kIo,
                  fmt::format("cannot write to standard output: {}; use -o FILE instead",
                              std::strerror(errno)));
    }
  }

  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::optional<AtomicFile> file_;
  // Control characters in names and ids must not reach a terminal. Files and pipes get every byte.
  bool is_terminal_ = isatty(STDOUT_FILENO) == 1;
};

void append_csv_text(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

// Ends a line after its last value, which is followed by a comma.
void end_csv_line(std::string& text) {
  text.pop_back();
  // A row whose only value is an empty text is written as "". Readers of CSV would skip a blank
  // line.
  if (text.empty() || text.back() == '\n') text += "\"\"";
  text += '\n';
}

class CsvFormat final : public RowFormat {
 public:
  std::shared_ptr<FormattedRows> format(const TableChunk& chunk) const override {
    auto rows = std::make_shared<RowBytes>();
    for (std::size_t row = 0; row < chunk.num_rows; ++row) {
      for (const ColumnChunk& column : chunk.columns) {
        append_value(rows->bytes, column, row);
        rows->bytes += ',';
      }
      end_csv_line(rows->bytes);
    }
    return rows;
  }

 private:
  static void append_value(std::string& text, const ColumnChunk& column, std::size_t row) {
    if (column.kind == ColumnKind::kText) {
      append_csv_text(text, column.texts[row]);
    } else if (!std::isnan(column.numbers[row])) {
      append_number(text, column.numbers[row]);
    }
  }
};

class CsvSink final : public TableSink {
 public:
  CsvSink(const std::string& path, const std::vector<ColumnInfo>& columns) : output_(path) {
    for (const ColumnInfo& column : columns) {
      append_csv_text(header_, column.name);
      header_ += ',';
    }
    end_csv_line(header_);
  }

  void write(const std::shared_ptr<const FormattedRows>& rows) override {
    write_header();
    output_.write(bytes_of(rows));
  }

  void commit() override {
    write_header();
    output_.commit();
  }

 private:
  // The header is written with the first rows, so that nothing is printed if there is an error
  // before the first row.
  void write_header() {
    if (!header_.empty()) output_.write(header_);
    header_.clear();
  }

  Output output_;
  std::string header_;  // empty after it has been written
};

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Returns the text as a JSON value of this type. A text that does not fit the type stays a string.
std::string json_value(std::string_view text, ValueType type) {
  if (type == ValueType::kWholeNumber && is_whole_number(text)) return std::string(text);
  if (type == ValueType::kBoolean && (equals_lower(text, "true") || equals_lower(text, "false")))
    return lower_case(text);
  const bool is_numeric = type == ValueType::kNumber || type == ValueType::kWholeNumber;
  const std::optional<double> value = is_numeric ? parse_number(text) : std::nullopt;
  if (!value) return json_string(text);
  if (!std::isfinite(*value)) return "null";
  std::string number;
  append_number(number, *value);
  return number;
}

// Each row is an object on a line of its own, behind the comma that ends the line before.
class JsonFormat final : public RowFormat {
 public:
  explicit JsonFormat(const std::vector<ColumnInfo>& columns) {
    for (const ColumnInfo& column : columns) {
      keys_.push_back(json_string(column.name) + ": ");
      types_.push_back(column.type);
    }
  }

  std::shared_ptr<FormattedRows> format(const TableChunk& chunk) const override {
    auto rows = std::make_shared<RowBytes>();
    std::string& text = rows->bytes;
    for (std::size_t row = 0; row < chunk.num_rows; ++row) {
      text += ",\n{";
      for (std::size_t i = 0; i < chunk.columns.size(); ++i) {
        text += i == 0 ? "" : ", ";
        text += keys_[i];
        append_value(text, chunk.columns[i], row, types_[i]);
      }
      text += '}';
    }
    return rows;
  }

 private:
  static void append_value(std::string& text, const ColumnChunk& column, std::size_t row,
                           ValueType type) {
    if (column.kind == ColumnKind::kText) {
      text += column.texts[row].data() == nullptr ? "null" : json_value(column.texts[row], type);
    } else if (std::isfinite(column.numbers[row])) {
      append_number(text, column.numbers[row]);
    } else {
      text += "null";
    }
  }

  std::vector<std::string> keys_;
  std::vector<ValueType> types_;
};

// Writes the rows as a JSON array of objects, one object per line.
class JsonSink final : public TableSink {
 public:
  explicit JsonSink(const std::string& path) : output_(path) {}

  void write(const std::shared_ptr<const FormattedRows>& rows) override {
    const std::string& text = bytes_of(rows);
    // The first row of the file follows "[" instead of a comma.
    output_.write(first_ && !text.empty() ? "[" + text.substr(1) : text);
    first_ = first_ && text.empty();
  }

  void commit() override {
    output_.write(first_ ? "[]\n" : "\n]\n");
    output_.commit();
  }

 private:
  Output output_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<RowFormat> make_csv_format() { return std::make_unique<CsvFormat>(); }

std::unique_ptr<RowFormat> make_json_format(const std::vector<ColumnInfo>& columns) {
  return std::make_unique<JsonFormat>(columns);
}

std::unique_ptr<TableSink> make_csv_sink(const std::string& path,
                                         const std::vector<ColumnInfo>& columns) {
  return std::make_unique<CsvSink>(path, columns);
}

std::unique_ptr<TableSink> make_json_sink(const std::string& path) {
  return std::make_unique<JsonSink>(path);
}

}  // namespace otss::internal
