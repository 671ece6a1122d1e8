#include "data/feature_blocks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <variant>

#include "base/threads.hpp"
#include "data/log_checks.hpp"
#include "data/tile_encoder.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

// Large enough for huge pages, small enough that the blocks being encoded do not show in the peak.
constexpr std::size_t kBlockBytes = std::size_t{16} << 20;

std::size_t rows_per_block(std::size_t num_features) {
  const std::size_t strips = kBlockBytes / (kStripRows * num_features * sizeof(float));
  return std::max<std::size_t>(strips, 1) * kStripRows;
}

struct EncodedFeature {
  std::variant<NumberTileEncoder, TextTileEncoder> encoder;
  std::size_t first_column;
};

void store_codes(std::span<const double> strip, TileMatrix& block, std::size_t first_row, int column) {
  for (std::size_t begin = 0; begin < strip.size(); begin += kTileRows) {
    const std::size_t rows = std::min(kTileRows, strip.size() - begin);
    std::copy_n(strip.data() + begin, rows, &block.at(first_row + begin, column));
  }
}

}  // namespace

FeatureBlocks::FeatureBlocks(const LogLayout& layout)
    : layout_(layout),
      num_contexts_(layout.num_contexts()),
      block_rows_(rows_per_block(layout.num_features())),
      summaries_(layout.num_features()),
      twins_(layout.num_features() - layout.num_contexts()),
      staged_(layout.num_features(), std::vector<double>(kStripRows)) {}

void FeatureBlocks::append(std::span<const std::span<const double>> columns) {
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

void FeatureBlocks::absorb_strip(std::span<const double* const> columns, std::size_t num_rows) {
  if (num_rows_ % block_rows_ == 0) blocks_.emplace_back(block_rows_, static_cast<int>(columns.size()));
  const std::size_t row_in_block = num_rows_ % block_rows_;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::span strip(columns[i], num_rows);
    if (layout_.is_text(i)) {
      store_codes(strip, blocks_.back(), row_in_block, static_cast<int>(i));
      continue;
    }
    summaries_[i].absorb(strip, blocks_.back(), row_in_block, static_cast<int>(i));
    check_strip(i, strip);
  }
  twins_.observe(columns.subspan(num_contexts_), num_rows, std::span(summaries_).subspan(num_contexts_));
  num_rows_ += num_rows;
}

// The summary tells at no cost whether there is anything to complain about; only then is the row looked for.
void FeatureBlocks::check_strip(std::size_t feature, std::span<const double> strip) const {
  const ColumnSummary& summary = summaries_[feature];
  const bool is_factor = feature >= num_contexts_;
  const bool saw_missing = summary.num_present() < static_cast<double>(num_rows_ + strip.size());
  if (!summary.saw_infinite() && !(is_factor && saw_missing)) return;
  if (is_factor) {
    check_factor(layout_, feature - num_contexts_, strip, num_rows_);
  } else {
    check_context(layout_, feature, strip, num_rows_);
  }
}

void FeatureBlocks::complete() {
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
    throw Error(ErrorCode::kInput,
                fmt::format("{}factors '{}' and '{}' are the same up to scale and offset; their weights cannot be told "
                            "apart, leave one out of --factors",
                            layout_.prefix(), layout_.roles.factors[twins->first],
                            layout_.roles.factors[twins->second]));
  }
}

TileMatrix FeatureBlocks::encode(const Encoder& encoder,
                                 std::span<const std::vector<std::string>* const> texts_by_code) && {
  std::vector<EncodedFeature> features;
  std::size_t columns = 0;
  for (std::size_t i = 0; i < encoder.contexts.size(); ++i) {
    const ContextColumn& context = encoder.contexts[i];
    if (context.kind == ColumnKind::kText) {
      features.push_back({TextTileEncoder(context, *texts_by_code[i]), columns});
    } else {
      features.push_back({NumberTileEncoder(summaries_[i], context.center, context.scale, context.has_missing,
                                            context.missing_frequency),
                          columns});
    }
    columns += static_cast<std::size_t>(context.num_encoded());
  }
  for (std::size_t i = 0; i < encoder.factors.size(); ++i) {
    const FactorColumn& factor = encoder.factors[i];
    features.push_back(
        {NumberTileEncoder(summaries_[num_contexts_ + i], factor.center, factor.scale, false, 0), columns++});
  }

  TileMatrix encoded(num_rows_, static_cast<int>(columns));
  const std::size_t block_tiles = block_rows_ / kTileRows;
  parallel_for(blocks_.size(), hardware_threads(), [&](std::size_t index) {
    const TileMatrix block = std::move(blocks_[index]);
    const std::size_t first_tile = index * block_tiles;
    const std::size_t num_tiles = std::min(block_tiles, encoded.num_tiles() - first_tile);
    for (std::size_t tile = 0; tile < num_tiles; ++tile) {
      const std::size_t rows = std::min(kTileRows, num_rows_ - (first_tile + tile) * kTileRows);
      for (std::size_t i = 0; i < features.size(); ++i) {
        const float* raw = block.tile(tile) + i * kTileRows;
        float* out = encoded.tile(first_tile + tile) + features[i].first_column * kTileRows;
        std::visit([&](const auto& feature) { feature.encode(raw, out, rows); }, features[i].encoder);
      }
    }
  });
  return encoded;
}

}  // namespace otss
