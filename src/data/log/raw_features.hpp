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

namespace otss {

// The encoding of a column (mean, sd, levels) is known only after the last row. Until then rows are
// stored as f32 in raw tiles: numbers shifted and scaled, texts as codes. If every column becomes
// exactly one encoded column, the raw tiles are encoded in place; else they are encoded into new
// tiles, and raw tiles are freed step by step, so that memory never holds the log twice.
class RawFeatures {
 public:
  explicit RawFeatures(const LogLayout& layout);

  // The next rows of every feature (contexts, then factors), then of the weight if the log has one.
  // Texts are codes; NaN is a missing value.
  void append(std::span<const std::span<const double>> columns);

  // Call once, after the last row: completes the summaries and makes the remaining checks.
  void complete();
  std::size_t num_rows() const { return num_rows_; }
  const ColumnSummary& summary(std::size_t feature) const { return summaries_[feature]; }

  // `texts_by_code`: for each text context, the text of each code. 0 threads: all cores.
  TileMatrix encode(const Encoder& encoder,
                    std::span<const std::vector<std::string>* const> texts_by_code, int threads) &&;

 private:
  void absorb_strip(std::span<const double* const> columns, std::size_t num_rows);
  void check_strip(std::size_t feature, std::span<const double> strip) const;

  const LogLayout& layout_;
  std::size_t num_contexts_;
  std::vector<ColumnSummary> summaries_;  // one per feature; unused for texts
  DuplicateFactors twins_;
  // Per column: values that do not fill a strip yet.
  std::vector<std::vector<double>> staged_;
  std::size_t num_staged_ = 0;
  std::size_t num_rows_ = 0;  // absorbed so far
  TileMatrix raw_;
};

}  // namespace otss
