#include "data/log_builder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "otss/base/error.hpp"

namespace otss {
namespace {

constexpr std::size_t kMostLevels = 1000;

}  // namespace

void add_to_fingerprint(Fingerprint& fingerprint, const TableChunk& chunk) {
  fingerprint.add_rows(chunk.num_rows);
  for (std::size_t i = 0; i < chunk.columns.size(); ++i) {
    const ColumnChunk& column = chunk.columns[i];
    if (column.kind == ColumnKind::kNumber) {
      fingerprint.add_numbers(i, chunk.first_row, column.numbers);
    } else {
      for (std::size_t row = 0; row < column.texts.size(); ++row) {
        fingerprint.add_text(i, chunk.first_row + row, hash_text(column.texts[row]));
      }
    }
  }
}

LogBuilder::LogBuilder(LogLayout layout, OutcomeKind outcome)
    : layout_(std::move(layout)),
      fingerprint_(layout_.requests.size()),
      labels_(layout_, outcome),
      features_(layout_),
      texts_(layout_.num_contexts()) {}

void LogBuilder::append(const TableChunk& chunk) {
  add_to_fingerprint(fingerprint_, chunk);
  labels_.append(chunk);
  std::vector<std::span<const double>> columns;
  for (std::size_t i = 0; i < layout_.num_features(); ++i) {
    if (layout_.is_text(i)) {
      code_texts(chunk.columns[i].texts, i);
      columns.emplace_back(texts_[i].coded);
    } else {
      columns.push_back(chunk.columns[i].numbers);
    }
  }
  features_.append(columns);
}

void LogBuilder::code_texts(std::span<const std::string_view> texts, std::size_t context) {
  TextContext& state = texts_[context];
  state.coded.resize(texts.size());
  for (std::size_t row = 0; row < texts.size(); ++row) {
    if (texts[row].data() == nullptr) {
      state.coded[row] = std::numeric_limits<double>::quiet_NaN();
      ++state.num_missing;
      continue;
    }
    const std::uint32_t code = state.codes.code(texts[row], hash_text(texts[row]));
    if (code == state.counts.size()) state.counts.push_back(0);
    ++state.counts[code];
    state.coded[row] = code;
  }
  if (state.codes.size() > kMostLevels) {
    throw Error(ErrorCode::kInput,
                fmt::format("{}context '{}' has more than {} different texts; leave it out "
                            "(--exclude {}), or group its levels",
                            layout_.prefix(), layout_.roles.contexts[context], kMostLevels,
                            layout_.roles.contexts[context]));
  }
}

ContextColumn LogBuilder::describe_number(std::size_t context) const {
  const ColumnSummary& summary = features_.summary(context);
  const auto num_rows = static_cast<double>(features_.num_rows());
  ContextColumn column;
  column.name = layout_.roles.contexts[context];
  if (summary.num_present() == 0) return column;
  column.has_missing = summary.num_present() < num_rows;
  column.missing_frequency = 1 - summary.num_present() / num_rows;
  column.center = summary.mean();
  column.scale = summary.is_constant() ? 0 : summary.sd();
  return column;
}

ContextColumn LogBuilder::describe_text(std::size_t context) const {
  const TextContext& state = texts_[context];
  const auto num_rows = static_cast<double>(features_.num_rows());
  ContextColumn column;
  column.name = layout_.roles.contexts[context];
  column.kind = ColumnKind::kText;
  const std::size_t num_values = state.codes.size() + (state.num_missing > 0 ? 1 : 0);
  if (num_values < 2) return column;
  column.has_missing = state.num_missing > 0;
  column.missing_frequency = state.num_missing / num_rows;
  std::vector<std::uint32_t> order(state.codes.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto& texts = state.codes.texts();
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return texts[a] < texts[b]; });
  for (const std::uint32_t code : order) {
    column.levels.push_back(texts[code]);
    column.level_frequencies.push_back(state.counts[code] / num_rows);
  }
  return column;
}

Encoder LogBuilder::make_encoder() const {
  Encoder encoder;
  for (std::size_t i = 0; i < layout_.num_contexts(); ++i) {
    encoder.contexts.push_back(layout_.is_text(i) ? describe_text(i) : describe_number(i));
  }
  for (std::size_t i = 0; i < layout_.roles.factors.size(); ++i) {
    const ColumnSummary& summary = features_.summary(layout_.num_contexts() + i);
    encoder.factors.push_back({layout_.roles.factors[i], summary.mean(), summary.sd()});
  }
  return encoder;
}

LoggedData LogBuilder::finish() && {
  labels_.check_all_rows();
  features_.complete();
  LoggedData::Parts parts;
  parts.encoder = make_encoder();
  std::vector<const std::vector<std::string>*> texts_by_code;
  for (const TextContext& state : texts_) texts_by_code.push_back(&state.codes.texts());
  parts.features = std::move(features_).encode(parts.encoder, texts_by_code);
  std::move(labels_).move_into(parts);
  parts.roles = layout_.roles;
  parts.fingerprint = fingerprint_.hex(layout_.described());
  return LoggedData(std::move(parts));
}

}  // namespace otss
