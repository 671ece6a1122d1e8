#include "data/log/raw_features.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/ranks/message.hpp"
#include "base/threads.hpp"
#include "data/log/column_encoder.hpp"
#include "data/log/disk/tile_file.hpp"
#include "data/log/log_checks.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// The size of the block that a thread encodes at a time. A block is large enough to use huge pages,
// and small enough that it hardly increases the peak memory.
constexpr std::size_t kBlockBytes = std::size_t{16} << 20;

struct StoredFeature {
  std::variant<StoredNumbers, StoredTexts> values;
  std::size_t first_column;  // the index of the first encoded column of this raw column
};

void store_codes(std::span<const double> strip, TileMatrix& raw, std::size_t first_row,
                 int column) {
  for (std::size_t begin = 0; begin < strip.size(); begin += kTileRows) {
    const std::size_t rows = std::min(kTileRows, strip.size() - begin);
    std::copy_n(strip.data() + begin, rows, &raw.at(first_row + begin, column));
  }
}

// Returns each factor as a number column without missing values.
std::vector<ContextColumn> as_contexts(std::span<const FactorColumn> factors) {
  std::vector<ContextColumn> columns;
  for (const FactorColumn& factor : factors)
    columns.push_back({.name = factor.name, .center = factor.center, .scale = factor.scale});
  return columns;
}

std::vector<StoredFeature> stored_features(
    std::span<const ContextColumn> contexts, std::span<const LevelPairs> level_pairs,
    std::span<const ContextColumn> factors, std::span<const ColumnSummary> summaries,
    std::span<const std::vector<std::string>* const> texts_by_code) {
  std::vector<StoredFeature> features;
  std::size_t column = 0;
  const auto add = [&](auto values, const ContextColumn& encoded) {
    features.push_back({std::move(values), column});
    column += static_cast<std::size_t>(encoded.num_encoded());
  };
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    if (contexts[i].kind == ColumnKind::kText) {
      add(StoredTexts(contexts[i], *texts_by_code[i]), contexts[i]);
    } else {
      add(StoredNumbers(contexts[i], summaries[i]), contexts[i]);
    }
  }
  for (const LevelPairs& pairs : level_pairs) column += pairs.num_encoded();
  for (const ContextColumn& factor : factors)
    add(StoredNumbers(factor, summaries[features.size()]), factor);
  return features;
}

// Returns true if every raw column is a number column that becomes exactly one encoded column.
bool keeps_its_shape(const Encoder& encoder) {
  return std::all_of(
      encoder.contexts.begin(), encoder.contexts.end(), [](const ContextColumn& context) {
        return context.kind == ColumnKind::kNumber && context.scale > 0 && !context.has_missing;
      });
}

// Encodes the pairs of levels in one tile of raw codes.
void encode_pairs(const Encoder& encoder, std::span<const StoredFeature> features, const float* raw,
                  std::size_t rows, float* encoded) {
  std::size_t column = 0;
  for (const ContextColumn& context : encoder.contexts) column += context.num_encoded();
  const auto texts = [&](std::size_t i) -> const StoredTexts& {
    return std::get<StoredTexts>(features[i].values);
  };
  const auto codes = [&](std::size_t i) { return std::span(raw + i * kTileRows, rows); };
  for (const LevelPairs& pairs : encoder.level_pairs) {
    encode_stored_pairs(pairs, texts(pairs.first), codes(pairs.first), texts(pairs.second),
                        codes(pairs.second), {encoded + column * kTileRows});
    column += pairs.num_encoded();
  }
}

// Returns a file in the folder, or null if there is no folder.
std::shared_ptr<TileFile> file_in(const std::string& folder) {
  return folder.empty() ? nullptr : std::make_shared<TileFile>(folder);
}

}  // namespace

RawFeatures::RawFeatures(const LogLayout& layout, std::string folder, std::size_t first_row)
    : layout_(layout),
      folder_(std::move(folder)),
      first_row_(first_row),
      num_contexts_(layout.num_contexts()),
      summaries_(layout.num_features()),
      has_shift_(layout.num_features()),
      twins_(layout.num_features() - layout.num_contexts()),
      raw_(file_in(folder_), static_cast<int>(layout.num_features())),
      waiting_(layout.num_features()) {}

void RawFeatures::choose_shifts_from(const std::vector<std::span<const double>>& first_strip) {
  for (std::size_t i = 0; i < summaries_.size(); ++i) {
    if (layout_.is_text(i)) continue;
    summaries_[i].choose_shift(first_strip[i]);
    has_shift_[i] = summaries_[i].has_shift();
  }
}

void RawFeatures::append(std::size_t first_row, std::span<const std::span<const double>> columns) {
  const std::size_t num_rows = columns.front().size();
  first_row -= first_row_;
  make_room(first_row + num_rows);
  std::vector<const double*> strip(columns.size());
  for (std::size_t done = 0; done < num_rows;) {
    const std::size_t row = first_row + done;
    const std::size_t count = std::min(num_rows - done, kStripRows - row % kStripRows);
    for (std::size_t i = 0; i < columns.size(); ++i) strip[i] = columns[i].data() + done;
    if (count == kStripRows) {
      absorb_strip(row / kStripRows, strip, kStripRows);
    } else {
      add_part(row, count, strip);
    }
    done += count;
  }
}

void RawFeatures::make_room(std::size_t num_rows) {
  {
    const std::shared_lock lock(growing_);
    if (num_rows <= room_) return;
  }
  const std::lock_guard lock(growing_);
  if (num_rows <= room_) return;
  room_ = std::max(num_rows, folder_.empty() ? 2 * room_ : room_ + room_ / 8);
  raw_.reserve(room_);
}

// Adds rows to a strip that is not complete yet. The rows are copied without holding the lock:
// other threads write to other rows of the strip.
void RawFeatures::add_part(std::size_t first_row, std::size_t count, StripColumns columns) {
  const std::size_t strip = first_row / kStripRows;
  PartialStrip* part = nullptr;
  {
    const std::lock_guard lock(mutex_);
    part = &partial_[strip];
    if (part->columns.empty())
      part->columns.assign(columns.size(), std::vector<double>(kStripRows));
  }
  for (std::size_t i = 0; i < columns.size(); ++i)
    std::copy_n(columns[i], count, part->columns[i].data() + first_row % kStripRows);
  std::map<std::size_t, PartialStrip>::node_type whole;
  {
    const std::lock_guard lock(mutex_);
    part->num_rows += count;
    if (part->num_rows < kStripRows) return;
    whole = partial_.extract(strip);
  }
  std::vector<const double*> pointers;
  for (const auto& column : whole.mapped().columns) pointers.push_back(column.data());
  absorb_strip(strip, pointers, kStripRows);
}

void RawFeatures::absorb_strip(std::size_t strip, StripColumns columns, std::size_t num_rows) {
  {
    Strip texts = store_texts(strip, columns, num_rows);
    const std::lock_guard lock(mutex_);
    if (strips_.size() <= strip) strips_.resize(strip + 1);
    strips_[strip] = std::move(texts);
  }
  const std::vector<bool> waits = let_wait(strip, columns, num_rows);
  const auto weights =
      layout_.weight ? std::span(columns.back(), num_rows) : std::span<const double>();
  for (std::size_t i = 0; i < summaries_.size(); ++i) {
    if (!layout_.is_text(i) && !waits[i]) store_numbers(strip, i, {columns[i], num_rows}, weights);
  }
  if (!waits[num_contexts_])
    twins_.observe(strip, columns.subspan(num_contexts_), num_rows,
                   std::span(summaries_).subspan(num_contexts_));
  store_waiting(choose_shifts(strip));
  const std::shared_lock lock(growing_);
  raw_.release_rows(strip * kStripRows, strip * kStripRows + num_rows);
}

// Copies the columns whose shift has not been chosen yet to the waiting strips, and returns which
// columns these are. Factors have no missing values, so the first strip of the log gives all
// factors their shifts at once: either all factors of a strip wait, or none.
std::vector<bool> RawFeatures::let_wait(std::size_t strip, StripColumns columns,
                                        std::size_t num_rows) {
  std::vector<bool> waits(summaries_.size(), false);
  const auto values = [&](std::size_t i) { return std::span(columns[i], num_rows); };
  for (std::size_t i = 0; i < waits.size(); ++i) {
    // A strip without any value needs no shift.
    waits[i] = !layout_.is_text(i) && !has_shift_[i] &&
               std::ranges::any_of(values(i), [](double value) { return !std::isnan(value); });
  }
  if (std::ranges::find(waits, true) == waits.end()) return waits;
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < waits.size(); ++i) {
    waits[i] = waits[i] && !has_shift_[i];
    if (!waits[i]) continue;
    WaitingStrip& copy = waiting_[i].emplace_back();
    copy.strip = strip;
    copy.values.assign(values(i).begin(), values(i).end());
    if (layout_.weight) copy.weights.assign(columns.back(), columns.back() + num_rows);
  }
  return waits;
}

// Stores the text columns of a strip, and sums the weights of the strip.
RawFeatures::Strip RawFeatures::store_texts(std::size_t strip, StripColumns columns,
                                            std::size_t num_rows) {
  Strip result{.num_rows = num_rows,
               .numbers = std::vector<StripSummary>(summaries_.size()),
               .levels = std::vector<std::vector<std::pair<int, double>>>(num_contexts_)};
  const double* weights = layout_.weight ? columns.back() : nullptr;
  for (std::size_t row = 0; weights != nullptr && row < num_rows; ++row)
    result.weight += weights[row];
  for (std::size_t i = 0; i < num_contexts_; ++i) {
    if (!layout_.is_text(i)) continue;
    {
      const std::shared_lock lock(growing_);
      store_codes({columns[i], num_rows}, raw_, strip * kStripRows, static_cast<int>(i));
    }
    if (weights == nullptr) continue;
    std::map<int, double> sums;
    for (std::size_t row = 0; row < num_rows; ++row)
      sums[std::isnan(columns[i][row]) ? -1 : static_cast<int>(columns[i][row])] += weights[row];
    result.levels[i].assign(sums.begin(), sums.end());
  }
  return result;
}

void RawFeatures::store_numbers(std::size_t strip, std::size_t feature,
                                std::span<const double> values, std::span<const double> weights) {
  // Without a shift the strip has no value, and another thread may be choosing the shift now.
  const ColumnSummary no_shift;
  const ColumnSummary& column = has_shift_[feature] ? summaries_[feature] : no_shift;
  StripSummary summary;
  {
    const std::shared_lock lock(growing_);
    summary = column.store(values, weights, raw_, strip * kStripRows, static_cast<int>(feature));
  }
  check_strip(strip, feature, values, summary);
  const std::lock_guard lock(mutex_);
  strips_[strip].numbers[feature] = summary;
}

// Chooses the shifts of columns whose first strip with a value is known, because all strips before
// it have been examined. `strip` is the strip that has just been examined. Returns the strips that have waited for these shifts, by feature.
std::vector<std::vector<RawFeatures::WaitingStrip>> RawFeatures::choose_shifts(std::size_t strip) {
  std::vector<std::vector<WaitingStrip>> released(summaries_.size());
  const std::lock_guard lock(mutex_);
  strips_[strip].was_examined = true;
  while (num_in_order_ < strips_.size() && strips_[num_in_order_].was_examined) ++num_in_order_;
  for (std::size_t i = 0; i < summaries_.size(); ++i) {
    if (waiting_[i].empty()) continue;
    const auto first = std::ranges::min_element(waiting_[i], {}, &WaitingStrip::strip);
    // A process that does not have the log's first row does not know the first strip with a value.
    if (first->strip >= num_in_order_ || first_row_ > 0) continue;
    summaries_[i].choose_shift(first->values);
    has_shift_[i] = true;
    released[i] = std::exchange(waiting_[i], {});
  }
  return released;
}

void RawFeatures::store_waiting(const std::vector<std::vector<WaitingStrip>>& waiting) {
  std::map<std::size_t, std::vector<const double*>> factors;  // by the number of the strip
  std::map<std::size_t, std::size_t> num_rows;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    for (const auto& [strip, values, weights] : waiting[i]) {
      store_numbers(strip, i, values, weights);
      if (i >= num_contexts_) factors[strip].push_back(values.data());
      num_rows[strip] = values.size();
    }
  }
  for (const auto& [strip, columns] : factors)
    twins_.observe(strip, columns, num_rows[strip], std::span(summaries_).subspan(num_contexts_));
}

// The summary already shows whether the strip has a bad value. The strip is searched for the row of
// the bad value only if the summary shows one.
void RawFeatures::check_strip(std::size_t strip, std::size_t feature,
                              std::span<const double> values, const StripSummary& summary) const {
  const std::size_t first_row = first_row_ + strip * kStripRows;
  const bool is_factor = feature >= num_contexts_;
  const bool saw_missing = summary.count < static_cast<double>(values.size());
  if (is_factor && (saw_missing || summary.saw_infinite()))
    check_factor(layout_, feature - num_contexts_, values, first_row);
  if (!is_factor && summary.saw_infinite()) check_context(layout_, feature, values, first_row);
  if (!summaries_[feature].fits_f32(summary)) refuse_outlier(layout_, feature, values, first_row);
}

// Chooses the shifts of the columns that wait until the end: those without a value in the first strip
// of the log. The first strip with a value is that of the first rank that has one.
void RawFeatures::share_waiting_shifts(Ranks& ranks) {
  const std::string all = ranks.fold([&](const std::string& before) {
    std::vector<ColumnSummary> shifts = summaries_;
    if (!before.empty()) {
      const auto earlier = MessageReader(before).get<std::vector<ColumnSummary>>();
      for (std::size_t i = 0; i < shifts.size(); ++i) {
        if (earlier[i].has_shift()) shifts[i] = earlier[i];
      }
    }
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      if (shifts[i].has_shift() || waiting_[i].empty()) continue;
      shifts[i].choose_shift(
          std::ranges::min_element(waiting_[i], {}, &WaitingStrip::strip)->values);
    }
    MessageWriter writer;
    writer.put(shifts);
    return std::move(writer).take();
  });
  summaries_ = MessageReader(all).get<std::vector<ColumnSummary>>();
  for (std::size_t i = 0; i < summaries_.size(); ++i) has_shift_[i] = summaries_[i].has_shift();
  store_waiting(std::exchange(waiting_, {}));
}

// Adds the sums of the strips of all ranks, in the order of the rows.
void RawFeatures::add_strips(Ranks* ranks) {
  const auto add_own = [&](const std::string& before) {
    if (!before.empty()) {
      MessageReader reader(before);
      num_rows_ = reader.get<std::size_t>();
      total_weight_ = reader.get<double>();
      summaries_ = reader.get<std::vector<ColumnSummary>>();
    }
    for (const Strip& strip : strips_) {
      num_rows_ += strip.num_rows;
      total_weight_ += layout_.weight ? strip.weight : static_cast<double>(strip.num_rows);
      for (std::size_t i = 0; i < summaries_.size(); ++i)
        summaries_[i].add(strip.numbers[i], layout_.weight.has_value());
    }
    MessageWriter writer;
    writer.put(num_rows_);
    writer.put(total_weight_);
    writer.put(summaries_);
    return std::move(writer).take();
  };
  if (ranks == nullptr) {
    add_own("");
    return;
  }
  const std::string all = ranks->fold(add_own);
  MessageReader reader(all);
  num_rows_ = reader.get<std::size_t>();
  total_weight_ = reader.get<double>();
  summaries_ = reader.get<std::vector<ColumnSummary>>();
}

void RawFeatures::complete(Ranks* ranks) {
  // Only the last strip of the log can still be partial.
  if (!partial_.empty()) {
    const auto last = partial_.extract(partial_.begin());
    std::vector<const double*> columns;
    for (const auto& column : last.mapped().columns) columns.push_back(column.data());
    absorb_strip(last.key(), columns, last.mapped().num_rows);
  }
  if (ranks != nullptr) share_waiting_shifts(*ranks);
  for (const Strip& strip : strips_) num_own_rows_ += strip.num_rows;
  add_strips(ranks);
  if (ranks != nullptr) twins_.add_ranks(*ranks);
  raw_.grow(num_own_rows_);
  for (std::size_t i = 0; i < summaries_.size(); ++i) {
    check_range(layout_, i, summaries_[i]);
    if (i >= num_contexts_) check_factor_varies(layout_, i - num_contexts_, summaries_[i]);
  }
  if (const auto twins = twins_.find(std::span(summaries_).subspan(num_contexts_))) {
    throw Error(
        ErrorCode::kInput,
        fmt::format("{}factors '{}' and '{}' are the same up to scale and offset, so their "
                    "separate weights cannot be identified; leave one of them out of --factors",
                    layout_.prefix(), layout_.roles.factors[twins->first],
                    layout_.roles.factors[twins->second]));
  }
}

void RawFeatures::add_level_weights(std::size_t context, std::vector<double>& sums) const {
  for (const Strip& strip : strips_) {
    for (const auto& [code, weight] : strip.levels[context])
      sums[code < 0 ? sums.size() - 1 : static_cast<std::size_t>(code)] += weight;
  }
}

void RawFeatures::add_pair_weights(const CodedLevels& first, const CodedLevels& second,
                                   std::span<const float> weights,
                                   std::vector<double>& sums) const {
  for (std::size_t row = 0; row < num_own_rows_; ++row) {
    const float a = raw_.at(row, static_cast<int>(first.context));
    const float b = raw_.at(row, static_cast<int>(second.context));
    if (std::isnan(a) || std::isnan(b)) continue;
    sums[first.level_of_code[static_cast<std::size_t>(a)] * second.num_levels +
         second.level_of_code[static_cast<std::size_t>(b)]] +=
        weights.empty() ? 1.0F : weights[row];
  }
}

TileMatrix RawFeatures::encode(const Encoder& encoder,
                               std::span<const std::vector<std::string>* const> texts_by_code,
                               int threads) && {
  const std::vector<ContextColumn> factors = as_contexts(encoder.factors);
  const auto features =
      stored_features(encoder.contexts, encoder.level_pairs, factors, summaries_, texts_by_code);
  const bool in_place = keeps_its_shape(encoder);
  TileMatrix apart;
  if (!in_place) {
    apart = TileMatrix(file_in(folder_),
                       encoder.num_encoded() + static_cast<int>(encoder.factors.size()));
    apart.grow(num_own_rows_);
  }
  TileMatrix& encoded = in_place ? raw_ : apart;
  encoded.prepare_seals();

  const std::size_t block_tiles =
      std::max<std::size_t>(1, kBlockBytes / (raw_.tile_size() * sizeof(float)));
  const std::size_t num_blocks = (raw_.num_tiles() + block_tiles - 1) / block_tiles;
  parallel_for(num_blocks, threads == 0 ? hardware_threads() : threads, [&](std::size_t block) {
    const std::size_t first = block * block_tiles;
    const std::size_t last = std::min(first + block_tiles, raw_.num_tiles());
    for (std::size_t tile = first; tile < last; ++tile) {
      const std::size_t rows = std::min(kTileRows, num_own_rows_ - tile * kTileRows);
      for (std::size_t i = 0; i < features.size(); ++i) {
        const std::span<const float> from(raw_.tile(tile) + i * kTileRows, rows);
        const TileCells to{encoded.tile(tile) + features[i].first_column * kTileRows};
        std::visit([&](const auto& values) { values.encode(from, to); }, features[i].values);
      }
      encode_pairs(encoder, features, raw_.tile(tile), rows, encoded.tile(tile));
    }
    if (!in_place) raw_.discard_tiles(first, last - first);
    encoded.seal_tiles(first, last - first);
    encoded.release_tiles(first, last - first);
  });
  return std::move(encoded);
}

}  // namespace otss::internal
