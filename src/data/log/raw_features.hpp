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

// How a column is encoded is known only when its last row was seen, so rows wait as f32 (numbers
// shifted and scaled, texts as codes) in tiles of their own. Where every column stays one column
// these become the final tiles in place; else they are encoded into others, and freed piece by
// piece. There is never a second copy of the log.
class RawFeatures {
 public:
  explicit RawFeatures(const LogLayout& layout);

  // The next rows of every feature, contexts first, then of the weight if there is one; texts as
  // codes. Missing is NaN.
  void append(std::span<const std::span<const double>> columns);

  // Call once, after the last row: then summaries are complete and every check was made.
  void complete();
  std::size_t num_rows() const { return num_rows_; }
  const ColumnSummary& summary(std::size_t feature) const { return summaries_[feature]; }

  // `texts_by_code` is what the codes of each context stand for; 0 threads are all cores.
  TileMatrix encode(const Encoder& encoder,
                    std::span<const std::vector<std::string>* const> texts_by_code, int threads) &&;

 private:
  void absorb_strip(std::span<const double* const> columns, std::size_t num_rows);
  void check_strip(std::size_t feature, std::span<const double> strip) const;

  const LogLayout& layout_;
  std::size_t num_contexts_;
  std::vector<ColumnSummary> summaries_;  // one per feature; idle for texts
  DuplicateFactors twins_;
  std::vector<std::vector<double>>
      staged_;  // the start of a strip that a chunk left unfinished, per column
  std::size_t num_staged_ = 0;
  std::size_t num_rows_ = 0;  // absorbed so far
  TileMatrix raw_;
};

}  // namespace otss
