// RawFeatures holds the features of a log while the log is being read.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/log/column_summary.hpp"
#include "data/log/duplicate_factors.hpp"
#include "data/log/log_layout.hpp"
#include "data/log/tile_matrix.hpp"
#include "otss/data/encoder.hpp"

namespace otss::internal {

// The encoding of a column (mean, standard deviation, levels) is known only after the last row.
// Until then rows are stored as f32 in raw tiles: numbers are shifted and scaled, texts are stored
// as codes. If every column becomes exactly one encoded column, the raw tiles are encoded in place.
// Otherwise the raw tiles are encoded into new tiles and freed step by step, so that memory never
// holds the whole log twice.
class RawFeatures {
 public:
  explicit RawFeatures(const LogLayout& layout);

  // Appends rows. `columns` has one span of new values per feature: first the contexts, then the
  // factors, then the weight if the log has one. Texts are given as codes. NaN means a missing
  // value.
  void append(std::span<const std::span<const double>> columns);

  // Completes the summaries and makes the remaining checks. Call this function once, after the last
  // row.
  void complete();
  std::size_t num_rows() const { return num_rows_; }
  const ColumnSummary& summary(std::size_t feature) const { return summaries_[feature]; }

  // Returns, for each pair of codes of two text contexts, the summed weight of the rows that have
  // both. Entry a * num_second_codes + b belongs to code a of `first` and code b of `second`.
  // `weights` is empty if every row has weight 1.
  std::vector<double> pair_weights(std::size_t first, std::size_t num_first_codes,
                                   std::size_t second, std::size_t num_second_codes,
                                   std::span<const float> weights) const;

  // Returns the encoded columns. `texts_by_code` has, for each text context, the text of each code.
  // threads = 0 means all cores.
  TileMatrix encode(const Encoder& encoder,
                    std::span<const std::vector<std::string>* const> texts_by_code, int threads) &&;

 private:
  void absorb_strip(std::span<const double* const> columns, std::size_t num_rows);
  void check_strip(std::size_t feature, std::span<const double> strip) const;

  const LogLayout& layout_;
  std::size_t num_contexts_;
  // One summary per feature; summaries of texts are not used.
  std::vector<ColumnSummary> summaries_;
  DuplicateFactors twins_;
  // For each column, the newest values. They wait here until they fill a strip (kStripRows rows).
  std::vector<std::vector<double>> staged_;
  std::size_t num_staged_ = 0;
  std::size_t num_rows_ = 0;  // the number of rows in raw_; rows in staged_ are not counted
  TileMatrix raw_;
};

}  // namespace otss::internal
