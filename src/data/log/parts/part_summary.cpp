#include "data/log/parts/part_summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/ranks/message.hpp"
#include "data/log/log_builder.hpp"
#include "data/log/log_checks.hpp"
#include "data/table/columns.hpp"
#include "data/terms/term_columns.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// A text factor or outcome becomes numbers by rules that all rows decide. A part knows only its own.
void refuse_texts(const TableReader& reader, const LogLayout& layout) {
  std::vector<std::string> numbers = layout.roles.factors;
  numbers.push_back(layout.roles.outcome);
  for (const std::string& name : numbers) {
    const ColumnInfo* column = find_column(reader.columns(), name);
    if (column == nullptr || column->kind != ColumnKind::kText) continue;
    throw Error(
        ErrorCode::kInput,
        fmt::format("{}column '{}' is text, but in a fit on partitions factors and outcomes "
                    "must be numbers; make number columns of it, such as 0 and 1 for each "
                    "text, or fit in one process",
                    layout.prefix(), name));
  }
}

// Adds the values of one chunk to a summary, weights included.
void add_numbers(std::span<const double> values, std::span<const double> weights,
                 NumberSummary& summary) {
  for (std::size_t i = 0; i < values.size(); ++i)
    summary.add(values[i], weights.empty() ? 1.0 : weights[i]);
}

void add_texts(std::span<const std::string_view> texts, std::span<const double> weights,
               TextSummary& summary) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (texts[i].data() == nullptr) {
      summary.has_missing = true;
      summary.missing_weight += weight;
    } else if (const auto known = summary.weights.find(texts[i]); known != summary.weights.end()) {
      known->second += weight;
    } else {
      summary.weights.emplace(texts[i], weight);
    }
  }
}

void check_number_of_levels(const LogLayout& layout, std::size_t context,
                            const TextSummary& summary) {
  if (summary.weights.size() <= kMostLevels) return;
  throw Error(ErrorCode::kInput,
              fmt::format("{}context '{}' has more than {} different texts; leave it out, or merge "
                          "its values into fewer levels",
                          layout.prefix(), layout.roles.contexts[context], kMostLevels));
}

ContextColumn number_column(const NumberSummary& numbers, const PartSummary& part,
                            ValueType in_table) {
  ContextColumn column;
  const bool has_values = numbers.num_present > 0;
  const bool keeps_type = in_table == ValueType::kBoolean || in_table == ValueType::kTime;
  column.type = keeps_type                            ? in_table
                : has_values && !numbers.has_fraction ? ValueType::kWholeNumber
                                                      : ValueType::kNumber;
  if (has_values) column.range = {numbers.lo, numbers.hi};
  if (!(numbers.present_weight > 0)) return column;
  column.has_missing = numbers.num_present < static_cast<double>(part.num_rows);
  if (column.has_missing) {
    const double missing = part.total_weight - numbers.present_weight;
    column.missing_frequency = std::clamp(missing / part.total_weight, 0.0, 1.0);
  }
  column.center = numbers.mean;
  const double sd = std::sqrt(numbers.squares / numbers.present_weight);
  column.scale = numbers.lo < numbers.hi ? sd : 0;
  return column;
}

ContextColumn text_column(const TextSummary& texts, const PartSummary& part, ValueType in_table) {
  ContextColumn column;
  column.kind = ColumnKind::kText;
  column.type = in_table;
  if (texts.weights.size() + (texts.has_missing ? 1 : 0) < 2) return column;
  column.has_missing = texts.has_missing;
  column.missing_frequency = std::clamp(texts.missing_weight / part.total_weight, 0.0, 1.0);
  for (const auto& [text, weight] : texts.weights) {
    column.levels.push_back(text);
    column.level_frequencies.push_back(std::clamp(weight / part.total_weight, 0.0, 1.0));
  }
  return column;
}

void put_roles(const Roles& roles, MessageWriter& bytes) {
  bytes.put(roles.contexts);
  bytes.put(roles.factors);
  for (const std::string* name : {&roles.outcome, &roles.weight, &roles.group, &roles.time})
    bytes.put(*name);
}

void get_roles(MessageReader& bytes, Roles& roles) {
  bytes.get(roles.contexts);
  bytes.get(roles.factors);
  for (std::string* name : {&roles.outcome, &roles.weight, &roles.group, &roles.time})
    bytes.get(*name);
}

}  // namespace

void NumberSummary::add(double value, double weight) {
  if (std::isnan(value)) return;
  ++num_present;
  lo = std::min(lo, value);
  hi = std::max(hi, value);
  has_fraction = has_fraction || value != std::trunc(value);
  if (!(weight > 0)) return;
  present_weight += weight;
  const double step = (value - mean) * (weight / present_weight);
  squares += weight * (value - mean) * (value - mean - step);
  mean += step;
}

void NumberSummary::add(const NumberSummary& other) {
  num_present += other.num_present;
  lo = std::min(lo, other.lo);
  hi = std::max(hi, other.hi);
  has_fraction = has_fraction || other.has_fraction;
  if (!(other.present_weight > 0)) return;
  const double total = present_weight + other.present_weight;
  const double difference = other.mean - mean;
  const double share = other.present_weight / total;
  squares += other.squares + difference * difference * present_weight * share;
  mean += difference * share;
  present_weight = total;
}

void TextSummary::add(const TextSummary& other) {
  for (const auto& [text, weight] : other.weights) weights[text] += weight;
  missing_weight += other.missing_weight;
  has_missing = has_missing || other.has_missing;
}

void PartSummary::add(const PartSummary& other) {
  if (roles != other.roles) {
    throw Error(ErrorCode::kInput,
                "the partitions of the log have different columns; give every partition the same "
                "columns");
  }
  for (std::size_t i = 0; i < is_text.size(); ++i) {
    if (is_text[i] == other.is_text[i]) continue;
    throw Error(
        ErrorCode::kInput,
        fmt::format("context '{}' is text in some partitions and a number in others; convert "
                    "it to one type in all partitions",
                    roles.contexts[i]));
  }
  num_rows += other.num_rows;
  total_weight += other.total_weight;
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i].add(other.numbers[i]);
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].add(other.texts[i]);
}

Encoder PartSummary::encoder() const {
  Encoder encoder;
  for (std::size_t i = 0; i < roles.contexts.size(); ++i) {
    encoder.contexts.push_back(is_text[i] ? text_column(texts[i], *this, types[i])
                                          : number_column(numbers[i], *this, types[i]));
    encoder.contexts.back().name = roles.contexts[i];
  }
  for (std::size_t j = 0; j < roles.factors.size(); ++j) {
    const NumberSummary& factor = numbers[roles.contexts.size() + j];
    const double sd = std::sqrt(factor.squares / factor.present_weight);
    if (!(factor.lo < factor.hi && sd > 0)) {
      throw Error(
          ErrorCode::kInput,
          fmt::format("factor '{}' has the same value in every row, so its weight cannot be "
                      "learned; leave it out",
                      roles.factors[j]));
    }
    encoder.factors.push_back({roles.factors[j], factor.mean, sd, terms[j]});
  }
  return encoder;
}

std::string PartSummary::bytes() const {
  MessageWriter writer;
  put_roles(roles, writer);
  writer.put(types);
  for (const bool text : is_text) writer.put(text);
  writer.put(num_rows);
  writer.put(total_weight);
  writer.put(numbers);
  for (const TextSummary& text : texts) {
    writer.put(text.weights.size());
    for (const auto& [level, weight] : text.weights) {
      writer.put(level);
      writer.put(weight);
    }
    writer.put(text.missing_weight);
    writer.put(text.has_missing);
  }
  for (const auto& term : terms) writer.put(term ? term->name() : std::string());
  return std::move(writer).take();
}

PartSummary PartSummary::from_bytes(std::string_view bytes) {
  MessageReader reader(bytes);
  PartSummary part;
  get_roles(reader, part.roles);
  reader.get(part.types);
  for (std::size_t i = 0; i < part.types.size(); ++i) part.is_text.push_back(reader.get<bool>());
  reader.get(part.num_rows);
  reader.get(part.total_weight);
  reader.get(part.numbers);
  part.texts.resize(part.types.size());
  for (TextSummary& text : part.texts) {
    for (auto left = reader.get<std::size_t>(); left > 0; --left) {
      const auto level = reader.get<std::string>();
      text.weights[level] = reader.get<double>();
    }
    reader.get(text.missing_weight);
    reader.get(text.has_missing);
  }
  for (std::size_t j = 0; j < part.roles.factors.size(); ++j) {
    const auto name = reader.get<std::string>();
    part.terms.push_back(name.empty() ? std::nullopt : parse_term(name));
  }
  return part;
}

LogLayout lay_out_part(const TableReader& reader, const Roles& roles) {
  LogLayout layout = lay_out_log(roles, reader.columns(), reader.name());
  layout.rules = reader.rules().settled();
  refuse_texts(reader, layout);
  return layout;
}

PartSummary summarize_part(const TableReader& reader, const Roles& roles) {
  const LogLayout layout = lay_out_part(reader, roles);
  PartSummary part{.roles = layout.roles, .types = layout.types, .terms = layout.terms};
  for (std::size_t i = 0; i < layout.num_contexts(); ++i) part.is_text.push_back(layout.is_text(i));
  part.numbers.resize(layout.num_features());
  part.texts.resize(layout.num_contexts());
  read_with_terms(reader, layout.requests, [&](const TableChunk& chunk) {
    std::span<const double> weights;
    if (layout.weight) {
      weights = chunk.columns[*layout.weight].numbers;
      check_weights(layout, weights, chunk.first_row);
    }
    part.num_rows += chunk.num_rows;
    for (std::size_t i = 0; i < chunk.num_rows; ++i)
      part.total_weight += weights.empty() ? 1.0 : weights[i];
    for (std::size_t i = 0; i < layout.num_features(); ++i) {
      if (layout.is_text(i)) {
        add_texts(chunk.columns[i].texts, weights, part.texts[i]);
        check_number_of_levels(layout, i, part.texts[i]);
        continue;
      }
      const auto values = chunk.columns[i].numbers;
      if (i < layout.num_contexts()) {
        check_context(layout, i, values, chunk.first_row);
      } else {
        check_factor(layout, i - layout.num_contexts(), values, chunk.first_row);
      }
      add_numbers(values, weights, part.numbers[i]);
    }
  });
  return part;
}

}  // namespace otss::internal
