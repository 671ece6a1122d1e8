#include "data/log/log_builder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/ranks/message.hpp"
#include "data/log/column_encoder.hpp"
#include "data/log/log_checks.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// Two text columns get encoded columns for pairs of their levels only if both have at least this
// many levels. If a column has fewer levels, several experts can learn the effects of pairs without
// such encoded columns.
constexpr std::size_t kLevelsToPair = 20;
// Pairs are used only if the log has this many rows per pair, so that the effect of a pair can
// be estimated.
constexpr double kRowsPerPair = 10;
constexpr std::size_t kMostPairs = 1000;

// Returns true if some value is not whole. Adding 2^52 to a smaller number rounds the number to a
// whole number. The compiler can vectorise this addition, but cannot vectorise std::trunc. All
// doubles from 2^52 on are whole.
bool has_fraction(std::span<const double> values) {
  constexpr double kWhole = 0x1p52;
  bool found = false;
  for (const double value : values) {
    const double size = std::abs(value);
    found |= size < kWhole && (size + kWhole) - kWhole != size;
  }
  return found;
}

// Returns the type of a column. The values decide whether a number column has the type "whole
// number". So the type does not depend on the file format, or on how many rows of a CSV file were
// inspected. Booleans and times keep the type of the file.
ValueType number_type(ValueType in_source, bool all_whole) {
  if (in_source == ValueType::kBoolean || in_source == ValueType::kTime) return in_source;
  return all_whole ? ValueType::kWholeNumber : ValueType::kNumber;
}

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

LogBuilder::LogBuilder(LogLayout layout, OutcomeKind outcome, std::vector<std::string> notes,
                       const Place& place)
    : layout_(std::move(layout)),
      fingerprint_(layout_.requests.size()),
      labels_(layout_, outcome, place.first_row),
      features_(layout_, place.folder, place.first_row),
      texts_(layout_.num_contexts()),
      has_fraction_(layout_.num_contexts()),
      notes_(std::move(notes)) {}

void LogBuilder::append(const TableChunk& chunk) {
  Fingerprint of_chunk(chunk.columns.size());
  add_to_fingerprint(of_chunk, chunk);
  {
    const std::lock_guard lock(fingerprint_mutex_);
    fingerprint_.add(of_chunk);
  }
  labels_.append(chunk);
  look_for_fractions(chunk);
  std::vector<std::vector<double>> coded(layout_.num_contexts());
  std::vector<std::span<const double>> columns;
  for (std::size_t i = 0; i < layout_.num_features(); ++i) {
    if (layout_.is_text(i)) {
      coded[i] = code_texts(chunk, i);
      columns.emplace_back(coded[i]);
    } else {
      columns.push_back(chunk.columns[i].numbers);
    }
  }
  if (layout_.weight) columns.push_back(chunk.columns[*layout_.weight].numbers);
  features_.append(chunk.first_row, columns);
}

void LogBuilder::look_for_fractions(const TableChunk& chunk) {
  for (std::size_t i = 0; i < layout_.num_contexts(); ++i) {
    if (!has_fraction_[i] && has_fraction(chunk.columns[i].numbers)) has_fraction_[i] = true;
  }
}

void LogBuilder::refuse_many_levels(std::size_t context, std::size_t num_levels) const {
  if (num_levels <= kMostLevels) return;
  const std::string& name = layout_.roles.contexts[context];
  throw Error(ErrorCode::kInput,
              fmt::format("{}context '{}' has more than {} different texts; leave it out "
                          "(--exclude {}), or merge its values into fewer levels",
                          layout_.prefix(), name, kMostLevels, name));
}

// Returns the codes of the texts in a column of the chunk; NaN for a missing text.
std::vector<double> LogBuilder::code_texts(const TableChunk& chunk, std::size_t context) {
  TextContext& state = texts_[context];
  std::vector<std::uint32_t> codes(chunk.num_rows);
  const std::size_t num_codes =
      state.codes.add(chunk.columns[context].texts, chunk.first_row, codes);
  if (num_codes > kMostLevels) refuse_stray_text(context, state.codes.sorted());
  refuse_many_levels(context, num_codes);
  std::vector<double> coded(codes.begin(), codes.end());
  for (std::size_t row = 0; row < codes.size(); ++row) {
    if (codes[row] != kNoCode) continue;
    coded[row] = std::numeric_limits<double>::quiet_NaN();
    state.has_missing = true;
  }
  return coded;
}

void LogBuilder::look_at_first_rows(const std::vector<std::vector<double>>& columns) {
  features_.choose_shifts_from({columns.begin(), columns.end()});
}

// Returns the levels of the ranks before this one, together with the levels of this rank, as bytes:
// the texts in the order of their first rows, their levels, and the summed weight of the rows without
// a text.
std::string LogBuilder::levels_and_own(std::size_t context, const std::string& before) {
  SharedTextCodes::Sorted all;
  std::vector<double> missing{0};
  if (!before.empty()) {
    MessageReader reader(before);
    all.levels = reader.get<std::vector<TextLevel>>();
    missing = reader.get<std::vector<double>>();
    for (std::size_t i = 0; i < all.levels.size(); ++i)
      all.texts.push_back(reader.get<std::string>());
  }
  const SharedTextCodes::Sorted own = texts_[context].codes.sorted();
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < all.texts.size(); ++i) known[all.texts[i]] = i;
  std::vector<double> weights(own.texts.size() + 1, 0.0);  // by code, as far as they are known
  weights.back() = missing.front();
  std::vector<std::size_t> place(own.texts.size());
  for (std::size_t i = 0; i < own.texts.size(); ++i) {
    const auto found = known.find(own.texts[i]);
    place[i] = found != known.end() ? found->second : all.texts.size();
    if (found == known.end()) {
      all.texts.push_back(own.texts[i]);
      all.levels.push_back(own.levels[i]);
    } else {
      all.levels[place[i]].num_rows += own.levels[i].num_rows;
      weights[own.codes[i]] = all.levels[place[i]].weight;
    }
  }
  if (layout_.weight) {
    features_.add_level_weights(context, weights);
    for (std::size_t i = 0; i < place.size(); ++i)
      all.levels[place[i]].weight = weights[own.codes[i]];
    missing.front() = weights.back();
  }
  MessageWriter writer;
  writer.put(all.levels);
  writer.put(missing);
  for (const std::string& text : all.texts) writer.put(text);
  return std::move(writer).take();
}

// Finds the levels of a context and their weights, after the last row.
void LogBuilder::complete_levels(std::size_t context, Ranks* ranks) {
  TextContext& state = texts_[context];
  const auto step = [&](const std::string& before) { return levels_and_own(context, before); };
  const std::string all = ranks == nullptr ? step("") : ranks->fold(step);
  MessageReader reader(all);
  state.found = {};
  state.found.levels = reader.get<std::vector<TextLevel>>();
  state.missing_weight = reader.get<std::vector<double>>().front();
  double num_rows = 0;
  for (TextLevel& level : state.found.levels) {
    state.found.texts.push_back(reader.get<std::string>());
    if (!layout_.weight) level.weight = level.num_rows;
    num_rows += level.num_rows;
  }
  if (!layout_.weight) state.missing_weight = static_cast<double>(features_.num_rows()) - num_rows;
  refuse_many_levels(context, state.found.texts.size());
}

// Tells all ranks which columns have fractions and missing texts on some rank.
void LogBuilder::share_flags(Ranks& ranks) {
  const std::string all = ranks.fold([&](const std::string& before) {
    std::vector<std::uint8_t> flags(2 * texts_.size(), 0);
    if (!before.empty()) flags = MessageReader(before).get<std::vector<std::uint8_t>>();
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (has_fraction_[i]) flags[2 * i] = 1;
      if (texts_[i].has_missing) flags[2 * i + 1] = 1;
    }
    MessageWriter writer;
    writer.put(flags);
    return std::move(writer).take();
  });
  const auto flags = MessageReader(all).get<std::vector<std::uint8_t>>();
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    has_fraction_[i] = flags[2 * i] != 0;
    texts_[i].has_missing = flags[2 * i + 1] != 0;
  }
}

void LogBuilder::refuse_stray_text(std::size_t context,
                                   const SharedTextCodes::Sorted& found) const {
  if (!layout_.kinds_are_guessed) return;
  const auto stray = find_stray_text(found.texts, found.levels, layout_.rules);
  if (!stray) return;
  throw Error(ErrorCode::kInput,
              fmt::format("{0}context '{1}' is '{2}' in {3}, but nearly all its values are "
                          "numbers; give --missing '{2}' if it means a missing value, correct "
                          "the value, or keep the column as text with --query \"SELECT * REPLACE "
                          "(CAST({1} AS VARCHAR) AS {1}) FROM t\"",
                          layout_.prefix(), layout_.roles.contexts[context], found.texts[*stray],
                          layout_.row(found.levels[*stray].first_row)));
}

// Returns the share that `weight` has of the total weight. Rounding may move the share slightly
// below 0 or above 1, so the share is clamped.
double LogBuilder::frequency(double weight) const {
  return std::clamp(weight / features_.total_weight(), 0.0, 1.0);
}

ContextColumn LogBuilder::describe_number(std::size_t context) const {
  const ColumnSummary& summary = features_.summary(context);
  ContextColumn column;
  column.name = layout_.roles.contexts[context];
  const bool has_values = summary.num_present() > 0;
  column.type = number_type(layout_.types[context], has_values && !has_fraction_[context]);
  if (has_values) column.range = {summary.min(), summary.max()};
  if (!(summary.present_weight() > 0)) return column;
  column.has_missing = summary.num_present() < static_cast<double>(features_.num_rows());
  if (column.has_missing)
    column.missing_frequency = frequency(features_.total_weight() - summary.present_weight());
  column.center = summary.mean();
  column.scale = summary.is_constant() ? 0 : summary.sd();
  return column;
}

ContextColumn LogBuilder::describe_text(std::size_t context) const {
  const TextContext& state = texts_[context];
  refuse_stray_text(context, state.found);
  ContextColumn column;
  column.name = layout_.roles.contexts[context];
  column.kind = ColumnKind::kText;
  column.type = layout_.types[context];
  const auto& texts = state.found.texts;
  if (texts.size() + (state.has_missing ? 1 : 0) < 2) return column;
  column.has_missing = state.has_missing;
  column.missing_frequency = frequency(state.missing_weight);
  std::vector<std::uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return texts[a] < texts[b]; });
  for (const std::uint32_t code : order) {
    column.levels.push_back(texts[code]);
    column.level_frequencies.push_back(frequency(state.found.levels[code].weight));
  }
  return column;
}

RawFeatures::CodedLevels LogBuilder::coded_levels(std::size_t context,
                                                  const ContextColumn& column) const {
  RawFeatures::CodedLevels coded{context, {}, column.levels.size()};
  for (const std::string& text : texts_[context].codes.texts())
    coded.level_of_code.push_back(static_cast<std::uint32_t>(find_level(column, text)));
  return coded;
}

// Returns the pairs of levels of two contexts that the rows have. Returns nothing if a column has
// few levels, or if there are too many pairs for the log. Also returns nothing if one column
// determines the other, because a level then already tells the pair.
std::optional<LevelPairs> LogBuilder::pairs_of(std::size_t first, std::size_t second,
                                               const Encoder& encoder, Ranks* ranks) const {
  const ContextColumn& a = encoder.contexts[first];
  const ContextColumn& b = encoder.contexts[second];
  if (std::min(a.levels.size(), b.levels.size()) < kLevelsToPair) return std::nullopt;
  const RawFeatures::CodedLevels coded_a = coded_levels(first, a);
  const RawFeatures::CodedLevels coded_b = coded_levels(second, b);
  const auto step = [&](const std::string& before) {
    std::vector<double> sums(a.levels.size() * b.levels.size(), 0.0);
    if (!before.empty()) sums = MessageReader(before).get<std::vector<double>>();
    features_.add_pair_weights(coded_a, coded_b, labels_.weights(), sums);
    MessageWriter writer;
    writer.put(sums);
    return std::move(writer).take();
  };
  const std::string all = ranks == nullptr ? step("") : ranks->fold(step);
  const std::vector<double> by_level = MessageReader(all).get<std::vector<double>>();
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> weights;
  for (std::size_t pair = 0; pair < by_level.size(); ++pair) {
    if (!(by_level[pair] > 0)) continue;
    weights[{static_cast<std::uint32_t>(pair / b.levels.size()),
             static_cast<std::uint32_t>(pair % b.levels.size())}] = by_level[pair];
  }
  const std::size_t most = std::min<std::size_t>(
      kMostPairs,
      static_cast<std::size_t>(static_cast<double>(features_.num_rows()) / kRowsPerPair));
  if (weights.size() > most || weights.size() <= std::max(a.levels.size(), b.levels.size()))
    return std::nullopt;
  LevelPairs pairs{first, second, {}, {}};
  for (const auto& [pair, weight] : weights) {
    pairs.pairs.push_back(pair);
    pairs.frequencies.push_back(frequency(weight));
  }
  return pairs;
}

Encoder LogBuilder::make_encoder(Ranks* ranks) const {
  Encoder encoder;
  encoder.reading = layout_.rules;
  for (std::size_t i = 0; i < layout_.num_contexts(); ++i) {
    encoder.contexts.push_back(layout_.is_text(i) ? describe_text(i) : describe_number(i));
  }
  for (std::size_t i = 0; i < layout_.num_contexts(); ++i) {
    for (std::size_t j = i + 1; j < layout_.num_contexts(); ++j) {
      if (auto pairs = pairs_of(i, j, encoder, ranks))
        encoder.level_pairs.push_back(*std::move(pairs));
    }
  }
  for (std::size_t i = 0; i < layout_.roles.factors.size(); ++i) {
    const ColumnSummary& summary = features_.summary(layout_.num_contexts() + i);
    const std::optional<Term>& term = layout_.terms[i];
    const double shrinkage = term ? layout_.roles.term_shrinkage : 1;
    encoder.factors.push_back(
        {layout_.roles.factors[i], summary.mean(), summary.sd() * shrinkage, term});
  }
  return encoder;
}

LoggedData LogBuilder::finish(int threads, Ranks* ranks) && {
  labels_.complete(ranks);
  features_.complete(ranks);
  if (ranks != nullptr) {
    share_flags(*ranks);
    fingerprint_.add_ranks(*ranks);
  }
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (layout_.is_text(i)) complete_levels(i, ranks);
  }
  LoggedData::Parts parts;
  parts.encoder = make_encoder(ranks);
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const auto notes = notes_on_levels(layout_, layout_.roles.contexts[i], texts_[i].found.texts,
                                       texts_[i].found.levels);
    notes_.insert(notes_.end(), notes.begin(), notes.end());
  }
  parts.notes = std::move(notes_);
  std::vector<const std::vector<std::string>*> texts_by_code;
  for (const TextContext& state : texts_) texts_by_code.push_back(&state.codes.texts());
  parts.features = std::make_shared<const TileMatrix>(
      std::move(features_).encode(parts.encoder, texts_by_code, threads));
  std::move(labels_).move_into(parts);
  parts.roles = layout_.roles;
  parts.fingerprint = fingerprint_.hex(layout_.described());
  return LoggedData(std::move(parts));
}

}  // namespace otss::internal
