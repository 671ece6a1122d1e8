#include "data/log/raw_features.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/threads.hpp"
#include "data/log/column_encoder.hpp"
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

}  // namespace

RawFeatures::RawFeatures(const LogLayout& layout)
    : layout_(layout),
      num_contexts_(layout.num_contexts()),
      summaries_(layout.num_features()),
      twins_(layout.num_features() - layout.num_contexts()),
      staged_(layout.num_features() + (layout.weight ? 1 : 0), std::vector<double>(kStripRows)),
      raw_(0, static_cast<int>(layout.num_features())) {}

void RawFeatures::append(std::span<const std::span<const double>> columns) {
  const std::size_t num_rows = columns.front().size();
  std::vector<const double*> strip(columns.size());
  for (std::size_t done = 0; done < num_rows;) {
    const std::size_t left = num_rows - done;
    if (num_staged_ == 0 && left >= kStripRows) {
      for (std::size_t i = 0; i < columns.size(); ++i) strip[i] = columns[i].data() + done;
      absorb_strip(strip, kStripRows);
      done += kStripRows;
      continue;
    }
    const std::size_t taken = std::min(left, kStripRows - num_staged_);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::copy_n(columns[i].data() + done, taken, staged_[i].data() + num_staged_);
    }
    num_staged_ += taken;
    done += taken;
    if (num_staged_ < kStripRows) continue;
    for (std::size_t i = 0; i < columns.size(); ++i) strip[i] = staged_[i].data();
    absorb_strip(strip, kStripRows);
    num_staged_ = 0;
  }
}

void RawFeatures::absorb_strip(std::span<const double* const> columns, std::size_t num_rows) {
  raw_.grow(num_rows_ + num_rows);
  const auto weights =
      layout_.weight ? std::span(columns.back(), num_rows) : std::span<const double>();
  for (std::size_t i = 0; i < summaries_.size(); ++i) {
    const std::span strip(columns[i], num_rows);
    if (layout_.is_text(i)) {
      store_codes(strip, raw_, num_rows_, static_cast<int>(i));
      continue;
    }
    summaries_[i].absorb(strip, weights, raw_, num_rows_, static_cast<int>(i));
    check_strip(i, strip);
  }
  twins_.observe(columns.subspan(num_contexts_), num_rows,
                 std::span(summaries_).subspan(num_contexts_));
  num_rows_ += num_rows;
}

// The summary already shows whether the strip has a bad value. The strip is searched for the row of
// the bad value only if the summary shows one.
void RawFeatures::check_strip(std::size_t feature, std::span<const double> strip) const {
  const ColumnSummary& summary = summaries_[feature];
  const bool is_factor = feature >= num_contexts_;
  const bool saw_missing = summary.num_present() < static_cast<double>(num_rows_ + strip.size());
  if (is_factor && (saw_missing || summary.saw_infinite()))
    check_factor(layout_, feature - num_contexts_, strip, num_rows_);
  if (!is_factor && summary.saw_infinite()) check_context(layout_, feature, strip, num_rows_);
  if (!summary.fits_f32()) refuse_outlier(layout_, feature, strip, num_rows_);
}

void RawFeatures::complete() {
  if (num_staged_ > 0) {
    std::vector<const double*> strip;
    for (const auto& column : staged_) strip.push_back(column.data());
    absorb_strip(strip, num_staged_);
  }
  staged_.clear();
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

std::vector<double> RawFeatures::pair_weights(std::size_t first, std::size_t num_first_codes,
                                              std::size_t second, std::size_t num_second_codes,
                                              std::span<const float> weights) const {
  std::vector<double> sums(num_first_codes * num_second_codes, 0.0);
  for (std::size_t row = 0; row < num_rows_; ++row) {
    const float a = raw_.at(row, static_cast<int>(first));
    const float b = raw_.at(row, static_cast<int>(second));
    if (std::isnan(a) || std::isnan(b)) continue;
    sums[static_cast<std::size_t>(a) * num_second_codes + static_cast<std::size_t>(b)] +=
        weights.empty() ? 1.0F : weights[row];
  }
  return sums;
}

TileMatrix RawFeatures::encode(const Encoder& encoder,
                               std::span<const std::vector<std::string>* const> texts_by_code,
                               int threads) && {
  const std::vector<ContextColumn> factors = as_contexts(encoder.factors);
  const auto features =
      stored_features(encoder.contexts, encoder.level_pairs, factors, summaries_, texts_by_code);
  const bool in_place = keeps_its_shape(encoder);
  TileMatrix apart;
  if (!in_place)
    apart = TileMatrix(num_rows_, encoder.num_encoded() + static_cast<int>(encoder.factors.size()));
  TileMatrix& encoded = in_place ? raw_ : apart;

  const std::size_t block_tiles =
      std::max<std::size_t>(1, kBlockBytes / (raw_.tile_size() * sizeof(float)));
  const std::size_t num_blocks = (raw_.num_tiles() + block_tiles - 1) / block_tiles;
  parallel_for(num_blocks, threads == 0 ? hardware_threads() : threads, [&](std::size_t block) {
    const std::size_t first = block * block_tiles;
    const std::size_t last = std::min(first + block_tiles, raw_.num_tiles());
    for (std::size_t tile = first; tile < last; ++tile) {
      const std::size_t rows = std::min(kTileRows, num_rows_ - tile * kTileRows);
      for (std::size_t i = 0; i < features.size(); ++i) {
        const std::span<const float> from(raw_.tile(tile) + i * kTileRows, rows);
        const TileCells to{encoded.tile(tile) + features[i].first_column * kTileRows};
        std::visit([&](const auto& values) { values.encode(from, to); }, features[i].values);
      }
      encode_pairs(encoder, features, raw_.tile(tile), rows, encoded.tile(tile));
    }
    if (!in_place) raw_.discard_tiles(first, last - first);
  });
  return std::move(encoded);
}

}  // namespace otss::internal
