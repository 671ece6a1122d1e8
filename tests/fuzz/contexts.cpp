// Fuzz target: rows of contexts, given as cells, through the encoder of a model and the model
// itself. The first line says which policies hold; each further line is a row of cells.
#include <cstring>

#include "data/table/number_text.hpp"
#include "served.hpp"

namespace otss::fuzz {
namespace {

const std::vector<Fitted>& models() {
  static const std::vector<Fitted> all = [] {
    std::vector<Fitted> loaded;
    for (const char* name : {"served.json", "corpus/model_file/otss-bayes.json",
                             "corpus/model_file/gbm.json", "corpus/model_file/quadratic.json"})
      loaded.push_back(load_model(std::string(OTSS_FUZZ) + '/' + name));
    return loaded;
  }();
  return all;
}

// Returns the value of a cell as a reader of CSV would.
RawValue value_of(const ContextColumn& column, std::string_view cell, const ReadingRules& rules) {
  if (column.kind == ColumnKind::kText) return cell.empty() ? std::string_view() : cell;
  const auto number = internal::parse_number(cell);
  const bool missing = cell.empty() || rules.is_missing(cell) || !number;
  return missing ? std::numeric_limits<double>::quiet_NaN() : *number;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// Encodes a row as part of a chunk, and with the values by name, in reverse order.
void encode_otherwise(const Fitted& fitted, const std::vector<RawValue>& row,
                      const std::vector<double>& x) {
  const Encoder& encoder = fitted.encoder();
  TableChunk chunk{.num_rows = 1};
  std::vector<NamedValue> named;
  for (std::size_t i = 0; i < row.size(); ++i) {
    chunk.columns.push_back(
        {row[i].kind, std::span(&row[i].number, 1), std::span(&row[i].text, 1)});
    named.insert(named.begin(), {encoder.contexts[i].name, row[i]});
  }
  std::vector<double> other(x.size());
  encoder.encode(chunk, other);
  require(same_bits(other, x), "a chunk is encoded as its rows are");
  fitted.encode(named, other);
  require(same_bits(other, x), "named values are encoded as a row is");
}

void serve(const Fitted& fitted, std::string_view line, const EncodeOptions& options) {
  const Encoder& encoder = fitted.encoder();
  const std::vector<std::string_view> cells = parts_of(line, ',');
  std::vector<RawValue> row;
  for (std::size_t i = 0; i < encoder.contexts.size(); ++i)
    row.push_back(value_of(encoder.contexts[i], i < cells.size() ? cells[i] : "", encoder.reading));
  std::vector<double> x(encoder.num_encoded());
  const bool encoded = accepts([&] { encoder.encode(row, x, options); });
  if (!encoded) return;
  require_finite(x, "encoded contexts are finite");
  encode_otherwise(fitted, row, x);
  // A model may refuse a context so far away that its numbers would overflow.
  accepts([&] { numbers_in(fitted, x); });
}

}  // namespace
}  // namespace otss::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace otss;
  if (size == 0) return 0;
  const Fitted& fitted = fuzz::models()[data[0] % fuzz::models().size()];
  UnknownCounts counts;
  const EncodeOptions options{
      .unknown = (data[0] & 64U) != 0 ? UnknownPolicy::kError : UnknownPolicy::kCount,
      .table = "contexts.csv",
      .counts = &counts,
      .outside = (data[0] & 32U) != 0 ? OutsidePolicy::kError : OutsidePolicy::kCount};
  for (const std::string_view line : fuzz::parts_of(fuzz::text_of(data + 1, size - 1), '\n'))
    fuzz::serve(fitted, line, options);
  return 0;
}
