// The features of a log while it is being read.
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
// Until then rows are stored as f32 in raw tiles: numbers are shifted and scaled, texts are codes.
// If every column becomes exactly one encoded column, the raw tiles are encoded in place. Otherwise
// they are encoded into new tiles, and the raw tiles are freed step by step, so that memory never
// holds the whole log twice.
class RawFeatures {
 public:
  explicit RawFeatures(const LogLayout& layout);

  // Appends rows. `columns` holds the new rows of every feature (contexts, then factors), and then
  // those of the weight if the log has one. Texts are given as codes; NaN is a missing value.
  void append(std::span<const std::span<const double>> columns);

  // Call once, after the last row: completes the summaries and makes the remaining checks.
  void complete();
  std::size_t num_rows() const { return num_rows_; }
  const ColumnSummary& summary(std::size_t feature) const { return summaries_[feature]; }

  // Returns the encoded columns. `texts_by_code` has, for each text context, the text of each code.
  // threads = 0 means all cores.
  TileMatrix encode(const Encoder& encoder,
                    std::span<const std::vector<std::string>* const> texts_by_code, int threads) &&;

 private:
  void absorb_strip(std::span<const double* const> columns, std::size_t num_rows);
  void check_strip(std::size_t feature, std::span<const double> strip) const;

  const LogLayout& layout_;
  std::size_t num_contexts_;
  std::vector<ColumnSummary> summaries_;  // one per feature; not used for texts
  DuplicateFactors twins_;
  // For each column, the values of the strip that is not full yet.
  std::vector<std::vector<double>> staged_;
  std::size_t num_staged_ = 0;
  std::size_t num_rows_ = 0;  // the number of rows in complete strips, without those in staged_
  TileMatrix raw_;
};

}  // namespace otss::internal
