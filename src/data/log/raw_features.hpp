// RawFeatures holds the features of a log while the log is being read.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/log/column_summary.hpp"
#include "data/log/duplicate_factors.hpp"
#include "data/log/log_layout.hpp"
#include "data/log/tile_matrix.hpp"
#include "otss/base/ranks.hpp"
#include "otss/data/encoder.hpp"

namespace otss::internal {

// The encoding of a column (mean, standard deviation, levels) is known only after the last row.
// Until then rows are stored as f32 in raw tiles: numbers are shifted and scaled, texts are stored
// as codes. If every column becomes exactly one encoded column, the raw tiles are encoded in place.
// Otherwise the raw tiles are encoded into new tiles and freed step by step, so that memory never
// holds the whole log twice.
//
// Several threads may append rows, in any order. Rows are summed in strips, and complete() adds the
// sums of the strips in row order. So the result does not depend on the order of the rows.
class RawFeatures {
 public:
  // The tiles are kept in files in `folder`, or in memory if `folder` is empty.
  // `first_row` is the number of the first row that is appended, if this process has only some rows of
  // the log; it is a multiple of kStripRows.
  explicit RawFeatures(const LogLayout& layout, std::string folder = {}, std::size_t first_row = 0);

  // Chooses the shifts of the columns from the first strip of the whole log, whoever has it. A process
  // that does not have this strip must call this function before it appends rows.
  void choose_shifts_from(const std::vector<std::span<const double>>& first_strip);

  // Appends rows, of which the first has row number `first_row`. `columns` has one span of new
  // values per feature: first the contexts, then the factors, then the weight if the log has one.
  // Texts are given as codes. NaN means a missing value.
  void append(std::size_t first_row, std::span<const std::span<const double>> columns);

  // Completes the summaries and makes the remaining checks. Call this function once, after the last
  // row.
  // `ranks` has the processes that share the rows, or is null. The summaries are then those of all
  // rows.
  void complete(Ranks* ranks = nullptr);
  // The functions below may be called only after complete().
  std::size_t num_rows() const { return num_rows_; }  // of all ranks together
  // Returns the sum of the weights. If the log has no weights, the sum is the number of rows.
  double total_weight() const { return total_weight_; }
  // Adds to `sums`, for each code of a text context, the summed weight of its rows. The last entry is
  // the summed weight of the rows without a text. The log must have weights.
  void add_level_weights(std::size_t context, std::vector<double>& sums) const;
  const ColumnSummary& summary(std::size_t feature) const { return summaries_[feature]; }

  // The levels of a text context: the context, and the level of each code.
  struct CodedLevels {
    std::size_t context = 0;
    std::vector<std::uint32_t> level_of_code;
    std::size_t num_levels = 0;
  };
  // Adds to `sums`, for each pair of levels of two text contexts, the weights of the rows that have
  // both, row by row. Entry a * second.num_levels + b belongs to level a of `first` and level b of
  // `second`. `weights` is empty if every row has weight 1.
  void add_pair_weights(const CodedLevels& first, const CodedLevels& second,
                        std::span<const float> weights, std::vector<double>& sums) const;

  // Returns the encoded columns. `texts_by_code` has, for each text context, the text of each code.
  // threads = 0 means all cores.
  TileMatrix encode(const Encoder& encoder,
                    std::span<const std::vector<std::string>* const> texts_by_code, int threads) &&;

 private:
  // What is known about one strip (kStripRows consecutive rows).
  struct Strip {
    std::size_t num_rows = 0;
    bool was_examined = false;          // true if each column has been stored, or waits
    double weight = 0;                  // the summed weight of its rows
    std::vector<StripSummary> numbers;  // one entry per feature; entries of texts are not used
    // For each text context of a log with weights: the codes of the strip, and the summed weight of
    // each. Code -1 stands for a missing text.
    std::vector<std::vector<std::pair<int, double>>> levels;
  };
  // A strip of which not all rows have arrived.
  struct PartialStrip {
    std::vector<std::vector<double>> columns;
    std::size_t num_rows = 0;
  };
  // A strip of one column that waits until the column's shift has been chosen.
  struct WaitingStrip {
    std::size_t strip = 0;
    std::vector<double> values, weights;
  };
  // The columns of a strip. The last one is the weight, if the log has weights.
  using StripColumns = std::span<const double* const>;

  void share_waiting_shifts(Ranks& ranks);
  void add_strips(Ranks* ranks);
  void make_room(std::size_t num_rows);
  void add_part(std::size_t first_row, std::size_t count, StripColumns columns);
  void absorb_strip(std::size_t strip, StripColumns columns, std::size_t num_rows);
  Strip store_texts(std::size_t strip, StripColumns columns, std::size_t num_rows);
  std::vector<bool> let_wait(std::size_t strip, StripColumns columns, std::size_t num_rows);
  void store_numbers(std::size_t strip, std::size_t feature, std::span<const double> values,
                     std::span<const double> weights);
  std::vector<std::vector<WaitingStrip>> choose_shifts(std::size_t strip);
  void store_waiting(const std::vector<std::vector<WaitingStrip>>& waiting);
  void check_strip(std::size_t strip, std::size_t feature, std::span<const double> values,
                   const StripSummary& summary) const;

  const LogLayout& layout_;
  std::string folder_;
  std::size_t first_row_;
  std::size_t num_contexts_;
  // One summary per feature; summaries of texts are not used. A summary does not change from the
  // moment at which its shift is chosen until complete().
  std::vector<ColumnSummary> summaries_;
  std::vector<std::atomic<bool>> has_shift_;  // one entry per feature
  DuplicateFactors twins_;
  // A thread that writes to raw_ holds this lock shared; a thread that moves raw_ holds it alone.
  std::shared_mutex growing_;
  std::size_t room_ = 0;  // the number of rows for which raw_ has memory
  TileMatrix raw_;
  std::mutex mutex_;                                // protects the members below
  std::map<std::size_t, PartialStrip> partial_;     // by the number of the strip
  std::deque<Strip> strips_;                        // by the number of the strip
  std::size_t num_in_order_ = 0;                    // all strips before this one were examined
  std::vector<std::vector<WaitingStrip>> waiting_;  // one entry per feature
  // These three are known after complete().
  std::size_t num_own_rows_ = 0;
  std::size_t num_rows_ = 0;
  double total_weight_ = 0;
};

}  // namespace otss::internal
