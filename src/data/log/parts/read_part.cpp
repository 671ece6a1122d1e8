#include "data/log/parts/read_part.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "base/ranks/message.hpp"
#include "data/log/log_builder.hpp"
#include "data/log/log_checks.hpp"
#include "data/log/parts/part_summary.hpp"
#include "data/log/text_codes.hpp"
#include "data/log/tile_matrix.hpp"
#include "data/terms/term_columns.hpp"

namespace otss::internal {
namespace {

// Collects the rows of a part.
class PartReader {
 public:
  PartReader(const LogLayout& layout, const Encoder& encoder, OutcomeKind outcome,
             std::size_t first_row)
      : layout_(layout),
        encoder_(encoder),
        outcome_(outcome),
        first_row_(first_row),
        fingerprint_(layout.requests.size()),
        features_(0, encoder.num_encoded() + static_cast<int>(encoder.factors.size())) {}

  void append(TableChunk chunk) {
    append_features(chunk);
    append_labels(chunk);
    chunk.first_row += first_row_;
    add_to_fingerprint(fingerprint_, chunk);
  }

  EncodedPart finish() && {
    parts_.features = std::make_shared<const TileMatrix>(std::move(features_));
    parts_.num_groups = parts_.group_hashes.size();
    parts_.encoder = encoder_;
    parts_.roles = layout_.roles;
    return {LoggedData(std::move(parts_)), std::move(fingerprint_)};
  }

 private:
  void append_features(const TableChunk& chunk) {
    const auto num_encoded = static_cast<std::size_t>(encoder_.num_encoded());
    encoded_.resize(chunk.num_rows * num_encoded);
    encoder_.encode(chunk, encoded_, {.table = layout_.table});
    features_.grow(chunk.first_row + chunk.num_rows);
    for (std::size_t i = 0; i < chunk.num_rows; ++i) {
      for (std::size_t c = 0; c < num_encoded; ++c)
        features_.at(chunk.first_row + i, static_cast<int>(c)) =
            static_cast<float>(encoded_[i * num_encoded + c]);
    }
    for (std::size_t j = 0; j < encoder_.factors.size(); ++j) {
      const auto values = chunk.columns[layout_.num_contexts() + j].numbers;
      check_factor(layout_, j, values, chunk.first_row);
      const FactorColumn& factor = encoder_.factors[j];
      const int column = static_cast<int>(num_encoded + j);
      for (std::size_t i = 0; i < values.size(); ++i)
        features_.at(chunk.first_row + i, column) =
            static_cast<float>((values[i] - factor.center) / factor.scale);
    }
  }

  void append_labels(const TableChunk& chunk) {
    const auto outcomes = chunk.columns[layout_.outcome].numbers;
    check_outcomes(layout_, outcome_, outcomes, chunk.first_row);
    parts_.outcomes.insert(parts_.outcomes.end(), outcomes.begin(), outcomes.end());
    if (layout_.weight) {
      const auto weights = chunk.columns[*layout_.weight].numbers;
      parts_.weights.insert(parts_.weights.end(), weights.begin(), weights.end());
    }
    if (layout_.time) {
      const auto times = chunk.columns[*layout_.time].numbers;
      check_times(layout_, times, chunk.first_row);
      parts_.times.insert(parts_.times.end(), times.begin(), times.end());
    }
    if (layout_.group) append_groups(chunk);
  }

  // A group of numbers is a text of their bytes, as in LogLabels, so that both have the same hashes.
  void append_groups(const TableChunk& chunk) {
    const ColumnChunk& column = chunk.columns[*layout_.group];
    std::vector<std::string_view> values(column.texts.begin(), column.texts.end());
    for (const double& number : column.numbers)
      values.emplace_back(reinterpret_cast<const char*>(&number), sizeof(number));
    for (const std::string_view value : values) {
      const std::uint64_t hash = hash_text(value);
      const auto [known, is_new] =
          groups_.try_emplace(hash, static_cast<std::uint32_t>(groups_.size()));
      if (is_new) parts_.group_hashes.push_back(hash);
      parts_.groups.push_back(known->second);
    }
  }

  const LogLayout& layout_;
  const Encoder& encoder_;
  OutcomeKind outcome_;
  std::size_t first_row_;
  Fingerprint fingerprint_;
  TileMatrix features_;
  LoggedData::Parts parts_;
  std::vector<double> encoded_;                              // the encoded contexts of one chunk
  std::unordered_map<std::uint64_t, std::uint32_t> groups_;  // hash of a group -> its number
};

}  // namespace

EncodedPart read_part(const TableReader& reader, const Roles& roles, const Encoder& encoder,
                      OutcomeKind outcome, std::size_t first_row) {
  const LogLayout layout = lay_out_part(reader, roles);
  PartReader part(layout, encoder, outcome, first_row);
  read_with_terms(reader, layout.requests, [&](const TableChunk& chunk) { part.append(chunk); });
  return std::move(part).finish();
}

std::string rows_as_bytes(const LoggedData& log) {
  MessageWriter bytes;
  bytes.put(log.num_rows());
  bytes.put(log.features().num_columns());
  for (std::size_t i = 0; i < log.features().num_tiles(); ++i)
    bytes.put(std::span<const float>(log.features().tile(i), log.features().tile_size()));
  bytes.put(log.outcomes());
  bytes.put(log.weights());
  bytes.put(log.times());
  bytes.put(log.groups());
  bytes.put(log.group_hashes());
  return std::move(bytes).take();
}

void append_rows(std::string_view bytes, LoggedData::Parts& parts) {
  MessageReader reader(bytes);
  const auto num_rows = reader.get<std::size_t>();
  const auto num_columns = reader.get<int>();
  const std::size_t before = parts.outcomes.size();
  auto features = parts.features ? std::const_pointer_cast<TileMatrix>(parts.features)
                                 : std::make_shared<TileMatrix>(0, num_columns);
  features->grow(before + num_rows);
  for (std::size_t first = 0; first < num_rows; first += kTileRows) {
    const auto tile = reader.get<std::vector<float>>();
    const std::size_t count = std::min(kTileRows, num_rows - first);
    for (int c = 0; c < num_columns; ++c) {
      for (std::size_t i = 0; i < count; ++i)
        features->at(before + first + i, c) = tile[static_cast<std::size_t>(c) * kTileRows + i];
    }
  }
  parts.features = std::move(features);
  const auto append = [&](auto& values) {
    const auto more = reader.get<std::decay_t<decltype(values)>>();
    values.insert(values.end(), more.begin(), more.end());
  };
  append(parts.outcomes);
  append(parts.weights);
  append(parts.times);
  const auto groups = reader.get<std::vector<std::uint32_t>>();
  const auto hashes = reader.get<std::vector<std::uint64_t>>();
  const auto first = static_cast<std::uint32_t>(parts.group_hashes.size());
  parts.group_hashes.insert(parts.group_hashes.end(), hashes.begin(), hashes.end());
  for (const std::uint32_t group : groups) parts.groups.push_back(first + group);
  parts.num_groups = parts.group_hashes.size();
}

}  // namespace otss::internal
