#include "contexts.hpp"

#include <algorithm>
#include <vector>

namespace otss::python {
namespace {

// A chunk of this many rows of 20 columns fits into the processor's cache.
constexpr std::size_t kChunkRows = 1024;
// The rows that a thread takes at a time. Fewer rows would cost more than they save.
constexpr std::size_t kTaskRows = 16 * kChunkRows;

// Returns the text without the white space around it, as a table reader does for levels.
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && (is_space(text.front()) || text.starts_with(kNoBreakSpace)))
    text.remove_prefix(is_space(text.front()) ? 1 : kNoBreakSpace.size());
  while (!text.empty() && (is_space(text.back()) || text.ends_with(kNoBreakSpace)))
    text.remove_suffix(is_space(text.back()) ? 1 : kNoBreakSpace.size());
  return text;
}

void require_kind(const ContextColumn& column, const MemoryColumn& given) {
  const bool is_text = static_cast<bool>(given.texts);
  if (is_text == (column.kind == ColumnKind::kText)) return;
  throw Error(ErrorCode::kInput,
              "context column '" + column.name + "' has " + (is_text ? "texts" : "numbers") +
                  ", but the model was fitted on " + (is_text ? "numbers" : "texts") +
                  "; convert the column with " + (is_text ? "astype(float)" : "astype(str)"));
}

// Reads chunks of columns. Columns of double precision that lie in one piece are not copied.
class ColumnReader {
 public:
  ColumnReader(const Encoder& encoder, const PythonTable& table)
      : table_(table), columns_(table.memory().columns), trims_(encoder.reading.trims_texts) {
    const std::size_t rows = std::min(kChunkRows, table.num_rows());
    numbers_.resize(columns_.size());
    texts_.resize(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      require_kind(encoder.contexts[i], columns_[i]);
      if (columns_[i].texts) {
        texts_[i].resize(rows);
      } else if (table.in_place(i) == nullptr) {
        numbers_[i].resize(rows);
      }
    }
  }

  const TableChunk& read(std::size_t first, std::size_t count) {
    chunk_.first_row = first;
    chunk_.num_rows = count;
    chunk_.columns.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].texts) {
        chunk_.columns.push_back({ColumnKind::kText, {}, read_texts(i, first, count)});
      } else {
        chunk_.columns.push_back({ColumnKind::kNumber, read_numbers(i, first, count), {}});
      }
    }
    return chunk_;
  }

 private:
  std::span<const double> read_numbers(std::size_t column, std::size_t first, std::size_t count) {
    if (const double* in_place = table_.in_place(column)) return {in_place + first, count};
    const auto numbers = std::span(numbers_[column]).first(count);
    columns_[column].numbers(first, numbers);
    return numbers;
  }

  std::span<const std::string_view> read_texts(std::size_t column, std::size_t first,
                                               std::size_t count) {
    const auto texts = std::span(texts_[column]).first(count);
    columns_[column].texts(first, texts);
    for (std::string_view& text : texts) {
      if (trims_ && text.data() != nullptr) text = trimmed(text);
    }
    return texts;
  }

  const PythonTable& table_;
  const std::vector<MemoryColumn>& columns_;
  bool trims_;
  std::vector<std::vector<double>> numbers_;
  std::vector<std::vector<std::string_view>> texts_;
  TableChunk chunk_;
};

struct RowRange {
  std::size_t begin = 0, end = 0;
};

void encode_in_place(const Fitted& fitted, const PythonTable& table, const RowRange& rows,
                     const EncodeOptions& options,
                     const std::function<void(const EncodedRows&)>& consume) {
  ColumnReader reader(fitted.encoder(), table);
  const auto width = static_cast<std::size_t>(fitted.num_contexts());
  std::vector<double> x(std::min(kChunkRows, rows.end - rows.begin) * width);
  for (std::size_t first = rows.begin; first < rows.end; first += kChunkRows) {
    const std::size_t count = std::min(kChunkRows, rows.end - first);
    const auto encoded = std::span(x).first(count * width);
    fitted.encoder().encode(reader.read(first, count), encoded, options);
    consume({first, count, encoded});
  }
}

UnknownCounts encode_by_reader(const Fitted& fitted, const PythonTable& table,
                               EncodeOptions options,
                               const std::function<void(const EncodedRows&)>& consume) {
  UnknownCounts counts;
  options.counts = &counts;
  const Encoder& encoder = fitted.encoder();
  const TableReader reader(encoder.as_trained(table.source()));
  encoder.require_columns(reader);
  std::vector<double> x;
  reader.read(encoder.context_requests(), [&](const TableChunk& chunk) {
    x.resize(chunk.num_rows * static_cast<std::size_t>(fitted.num_contexts()));
    encoder.encode(chunk, x, options);
    consume({chunk.first_row, chunk.num_rows, x});
  });
  return counts;
}

}  // namespace

bool needs_reader(const Encoder& encoder) {
  const ReadingRules& rules = encoder.reading;
  return !rules.dates.empty() || rules.ignores_case || !rules.missing_texts.empty();
}

UnknownCounts encode_rows(const Fitted& fitted, const PythonTable& table, const NewValues& policy,
                          const std::function<void(const EncodedRows&)>& consume) {
  return encode_rows_in_parallel(fitted, table, policy, 1, consume);
}

UnknownCounts encode_rows_in_parallel(const Fitted& fitted, const PythonTable& table,
                                      const NewValues& policy, int threads,
                                      const std::function<void(const EncodedRows&)>& consume) {
  const EncodeOptions options{policy.unknown, table.name(), nullptr, policy.outside};
  if (needs_reader(fitted.encoder())) return encode_by_reader(fitted, table, options, consume);
  const std::size_t rows_per_task =
      threads == 1 ? std::max<std::size_t>(table.num_rows(), 1) : kTaskRows;
  const std::size_t num_tasks = (table.num_rows() + rows_per_task - 1) / rows_per_task;
  std::vector<UnknownCounts> counts(num_tasks);
  std::vector<std::function<void()>> tasks;
  for (std::size_t task = 0; task < num_tasks; ++task) {
    tasks.emplace_back([&, task] {
      const std::size_t first = task * rows_per_task;
      EncodeOptions counting = options;
      counting.counts = &counts[task];
      encode_in_place(fitted, table, {first, std::min(first + rows_per_task, table.num_rows())},
                      counting, consume);
    });
  }
  run_tasks(tasks, threads);
  UnknownCounts total;
  for (const UnknownCounts& one : counts) total.add(one);
  return total;
}

py::object counts_to_python(const UnknownCounts& counts, const Encoder& encoder) {
  const std::size_t far = counts.num_far_values();
  if (counts.unknown_levels == 0 && counts.unexpected_missing == 0 && far == 0) return py::none();
  py::dict columns;
  for (std::size_t i = 0; i < counts.far_values.size(); ++i) {
    if (counts.far_values[i] > 0) columns[py::str(encoder.contexts[i].name)] = counts.far_values[i];
  }
  return py::make_tuple(counts.unknown_levels, counts.unexpected_missing, columns);
}

}  // namespace otss::python
