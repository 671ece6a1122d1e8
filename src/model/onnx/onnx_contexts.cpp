#include "model/onnx/onnx_contexts.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>

namespace otss::internal {
namespace {

using Tensor = OnnxGraph::Tensor;
using Integers = std::vector<std::int64_t>;

Tensor row_constant(OnnxGraph& graph, const std::vector<double>& values) {
  return graph.constant(values, {1, static_cast<std::int64_t>(values.size())});
}

// The encoded columns so far. Blocks of columns are appended in an order that suits the operators;
// `positions` says where each appended column belongs.
struct EncodedBlocks {
  std::vector<Tensor> blocks;
  Integers positions;
};

// The first encoded column of each raw column, and of each list of pairs.
Integers first_positions(const Encoder& encoder) {
  Integers first{0};
  for (const ContextColumn& column : encoder.contexts)
    first.push_back(first.back() + column.num_encoded());
  for (const LevelPairs& pairs : encoder.level_pairs)
    first.push_back(first.back() + pairs.num_encoded());
  return first;
}

// Returns (indicators - frequencies) / 0.5.
Tensor centered_indicators(OnnxGraph& graph, const Tensor& indicators,
                           const std::vector<double>& frequencies) {
  const Tensor centered = graph.apply("Sub", {indicators, row_constant(graph, frequencies)});
  return graph.apply("Div", {centered, graph.constant(0.5)});
}

// Returns a matrix of double with a 1 in column codes[row] of each row, and 0 elsewhere. A code that
// is `columns` or more gives a row of zeros.
Tensor one_hot(OnnxGraph& graph, const Tensor& codes, std::size_t columns) {
  const Integers off_on{0, 1};
  const Tensor hot = graph.apply(
      "OneHot",
      {codes, graph.constant(static_cast<std::int64_t>(columns)), graph.constant(off_on, {2})});
  return graph.cast(hot, OnnxType::kDouble);
}

// Appends the columns of all numbers: first (x - center) / scale of each column, then the
// indicators of missing values.
void encode_number_columns(OnnxGraph& graph, const Encoder& encoder,
                           const std::vector<Tensor>& inputs, const Integers& first,
                           EncodedBlocks& out) {
  std::vector<Tensor> scaled, indicated;
  std::vector<double> centers, scales, frequencies;
  Integers missing_positions;
  for (std::size_t i = 0; i < encoder.contexts.size(); ++i) {
    const ContextColumn& column = encoder.contexts[i];
    if (column.kind != ColumnKind::kNumber) continue;
    if (column.scale > 0) {
      scaled.push_back(inputs[i]);
      centers.push_back(column.center);
      scales.push_back(column.scale);
      out.positions.push_back(first[i]);
    }
    if (column.has_missing) {
      indicated.push_back(inputs[i]);
      frequencies.push_back(column.missing_frequency);
      missing_positions.push_back(first[i + 1] - 1);
    }
  }
  if (!scaled.empty()) {
    const Tensor raw = graph.apply("Concat", scaled, {{"axis", std::int64_t{1}}});
    const Tensor centered = graph.apply("Sub", {raw, row_constant(graph, centers)});
    const Tensor encoded = graph.apply("Div", {centered, row_constant(graph, scales)});
    const Tensor missing = graph.apply("Not", {graph.apply("Equal", {raw, raw})});
    out.blocks.push_back(graph.apply("Where", {missing, graph.constant(0.0), encoded}));
  }
  if (!indicated.empty()) {
    const Tensor raw = graph.apply("Concat", indicated, {{"axis", std::int64_t{1}}});
    const Tensor missing = graph.apply("Not", {graph.apply("Equal", {raw, raw})});
    out.blocks.push_back(
        centered_indicators(graph, graph.cast(missing, OnnxType::kDouble), frequencies));
    out.positions.insert(out.positions.end(), missing_positions.begin(), missing_positions.end());
  }
}

// The codes of a text column with L levels: 0 to L - 1 for the levels, L for a missing value, and
// L + 1 for a level that no training row had.
std::int64_t missing_code(const ContextColumn& column) {
  return static_cast<std::int64_t>(column.levels.size());
}
std::int64_t unknown_code(const ContextColumn& column) { return missing_code(column) + 1; }

// Returns the code of each row's text, a vector.
Tensor text_codes(OnnxGraph& graph, const ContextColumn& column, const ReadingRules& reading,
                  const Tensor& input) {
  std::map<std::string, std::int64_t> codes;
  for (std::size_t level = 0; level < column.levels.size(); ++level)
    codes[column.levels[level]] = static_cast<std::int64_t>(level);
  codes.emplace("", missing_code(column));
  for (std::string word : reading.missing_texts) {
    codes.emplace(word, missing_code(column));
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
    codes.emplace(word, missing_code(column));
  }
  std::vector<std::string> keys;
  Integers values;
  for (const auto& [text, code] : codes) {
    keys.push_back(text);
    values.push_back(code);
  }
  const Tensor found = graph.apply(
      "LabelEncoder", {input},
      {{"keys_strings", keys}, {"values_int64s", values}, {"default_int64", unknown_code(column)}});
  return graph.apply("Reshape", {found, graph.constant(Integers{-1}, {1})});
}

void encode_text_column(OnnxGraph& graph, const ContextColumn& column, const Tensor& codes,
                        std::int64_t first, EncodedBlocks& out) {
  std::vector<double> frequencies = column.level_frequencies;
  if (column.has_missing) frequencies.push_back(column.missing_frequency);
  Tensor encoded =
      centered_indicators(graph, one_hot(graph, codes, frequencies.size()), frequencies);
  if (!column.has_missing) {
    // No training row lacked a value. A missing value then sets every indicator to its mean, 0.
    const Tensor missing = graph.apply("Equal", {codes, graph.constant(missing_code(column))});
    const Tensor as_column = graph.apply("Unsqueeze", {missing, graph.constant(Integers{1}, {1})});
    encoded = graph.apply("Where", {as_column, graph.constant(0.0), encoded});
  }
  out.blocks.push_back(encoded);
  for (std::size_t j = 0; j < frequencies.size(); ++j)
    out.positions.push_back(first + static_cast<std::int64_t>(j));
}

void encode_level_pairs(OnnxGraph& graph, const Encoder& encoder, const LevelPairs& pairs,
                        const std::vector<Tensor>& codes, std::int64_t first, EncodedBlocks& out) {
  const auto num_pairs = static_cast<std::int64_t>(pairs.pairs.size());
  const std::int64_t stride = unknown_code(encoder.contexts[pairs.second]) + 1;
  Integers keys, values;
  for (const auto& [a, b] : pairs.pairs) {
    keys.push_back(a * stride + b);
    values.push_back(static_cast<std::int64_t>(values.size()));
  }
  const Tensor scaled = graph.apply("Mul", {codes[pairs.first], graph.constant(stride)});
  const Tensor joint = graph.apply("Add", {scaled, codes[pairs.second]});
  const Tensor found =
      graph.apply("LabelEncoder", {joint},
                  {{"keys_int64s", keys}, {"values_int64s", values}, {"default_int64", num_pairs}});
  out.blocks.push_back(
      centered_indicators(graph, one_hot(graph, found, pairs.pairs.size()), pairs.frequencies));
  for (std::int64_t j = 0; j < num_pairs; ++j) out.positions.push_back(first + j);
}

OnnxType input_type(const ContextColumn& column) {
  if (column.kind == ColumnKind::kText) return OnnxType::kText;
  // A date is a number of seconds, of which float32 would keep only two minutes.
  return column.type == ValueType::kTime ? OnnxType::kDouble : OnnxType::kFloat;
}

// Puts the columns of all blocks in the order of the encoder.
Tensor in_order(OnnxGraph& graph, const EncodedBlocks& encoded) {
  Tensor joined = graph.apply("Concat", encoded.blocks, {{"axis", std::int64_t{1}}});
  if (std::ranges::is_sorted(encoded.positions)) return joined;
  Integers order(encoded.positions.size());
  for (std::size_t j = 0; j < order.size(); ++j)
    order[static_cast<std::size_t>(encoded.positions[j])] = static_cast<std::int64_t>(j);
  return graph.apply("Gather",
                     {joined, graph.constant(order, {static_cast<std::int64_t>(order.size())})},
                     {{"axis", std::int64_t{1}}});
}

// Returns a column of zeros with as many rows as `input` has.
Tensor zeros_like(OnnxGraph& graph, const Tensor& input) {
  const Tensor size = graph.apply("Shape", {input});
  return graph.cast(graph.apply("ConstantOfShape", {size}), OnnxType::kDouble);
}

}  // namespace

Tensor encode_in(OnnxGraph& graph, const Encoder& encoder) {
  std::vector<Tensor> inputs, codes(encoder.contexts.size());
  for (const ContextColumn& column : encoder.contexts)
    inputs.push_back(graph.input(column.name, input_type(column)));
  const Tensor any_input = inputs.front();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (encoder.contexts[i].kind == ColumnKind::kNumber)
      inputs[i] = graph.cast(inputs[i], OnnxType::kDouble);
  }
  const Integers first = first_positions(encoder);
  EncodedBlocks encoded;
  encode_number_columns(graph, encoder, inputs, first, encoded);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ContextColumn& column = encoder.contexts[i];
    if (column.kind != ColumnKind::kText || column.num_encoded() == 0) continue;
    codes[i] = text_codes(graph, column, encoder.reading, inputs[i]);
    encode_text_column(graph, column, codes[i], first[i], encoded);
  }
  for (std::size_t i = 0; i < encoder.level_pairs.size(); ++i) {
    if (encoder.level_pairs[i].pairs.empty()) continue;
    encode_level_pairs(graph, encoder, encoder.level_pairs[i], codes,
                       first[encoder.contexts.size() + i], encoded);
  }
  return encoded.blocks.empty() ? zeros_like(graph, any_input) : in_order(graph, encoded);
}

}  // namespace otss::internal
