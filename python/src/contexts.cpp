#include "contexts.hpp"

#include <algorithm>
#include <vector>

namespace otss::python {
namespace {

// A chunk of this many rows of 20 columns fits into the processor's cache.
constexpr std::size_t kChunkRows = 1024;

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

// Reads chunks of columns in place.
class ColumnReader {
 public:
  ColumnReader(const Encoder& encoder, const MemoryTable& table) : table_(table) {
    const std::size_t rows = std::min(kChunkRows, table.num_rows);
    numbers_.resize(table.columns.size());
    texts_.resize(table.columns.size());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      require_kind(encoder.contexts[i], table.columns[i]);
      if (table.columns[i].texts) {
        texts_[i].resize(rows);
      } else {
        numbers_[i].resize(rows);
      }
    }
    trims_ = encoder.reading.trims_texts;
  }

  const TableChunk& read(std::size_t first, std::size_t count) {
    chunk_.first_row = first;
    chunk_.num_rows = count;
    chunk_.columns.clear();
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      const MemoryColumn& column = table_.columns[i];
      if (column.texts) {
        const auto texts = std::span(texts_[i]).first(count);
        column.texts(first, texts);
        for (std::string_view& text : texts) {
          if (trims_ && text.data() != nullptr) text = trimmed(text);
        }
        chunk_.columns.push_back({ColumnKind::kText, {}, texts});
      } else {
        const auto numbers = std::span(numbers_[i]).first(count);
        column.numbers(first, numbers);
        chunk_.columns.push_back({ColumnKind::kNumber, numbers, {}});
      }
    }
    return chunk_;
  }

 private:
  const MemoryTable& table_;
  bool trims_ = true;
  std::vector<std::vector<double>> numbers_;
  std::vector<std::vector<std::string_view>> texts_;
  TableChunk chunk_;
};

void encode_by_reader(const Fitted& fitted, const PythonTable& table, const EncodeOptions& options,
                      const std::function<void(const EncodedRows&)>& consume) {
  const Encoder& encoder = fitted.encoder();
  const TableReader reader(encoder.as_trained(table.source()));
  encoder.require_columns(reader);
  std::vector<double> x;
  reader.read(encoder.context_requests(), [&](const TableChunk& chunk) {
    x.resize(chunk.num_rows * static_cast<std::size_t>(fitted.num_contexts()));
    encoder.encode(chunk, x, options);
    consume({chunk.first_row, chunk.num_rows, x});
  });
}

}  // namespace

bool needs_reader(const Encoder& encoder) {
  const ReadingRules& rules = encoder.reading;
  return !rules.dates.empty() || rules.ignores_case || !rules.missing_texts.empty();
}

UnknownCounts encode_rows(const Fitted& fitted, const PythonTable& table, const NewValues& policy,
                          const std::function<void(const EncodedRows&)>& consume) {
  UnknownCounts counts;
  const EncodeOptions options{policy.unknown, table.name(), &counts, policy.outside};
  if (needs_reader(fitted.encoder())) {
    encode_by_reader(fitted, table, options, consume);
    return counts;
  }
  ColumnReader reader(fitted.encoder(), table.memory());
  const auto width = static_cast<std::size_t>(fitted.num_contexts());
  std::vector<double> x(std::min(kChunkRows, table.num_rows()) * width);
  for (std::size_t first = 0; first < table.num_rows(); first += kChunkRows) {
    const std::size_t count = std::min(kChunkRows, table.num_rows() - first);
    const auto encoded = std::span(x).first(count * width);
    fitted.encoder().encode(reader.read(first, count), encoded, options);
    consume({first, count, encoded});
  }
  return counts;
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
