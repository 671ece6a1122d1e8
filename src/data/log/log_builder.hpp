// A LogBuilder builds a LoggedData from chunks of raw columns, in one pass.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "data/log/fingerprint.hpp"
#include "data/log/log_labels.hpp"
#include "data/log/log_layout.hpp"
#include "data/log/raw_features.hpp"
#include "data/log/text_codes.hpp"
#include "data/table/text_levels.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

// A text context with more different values than this limit is refused, because it looks like an
// id.
inline constexpr std::size_t kMostLevels = 1000;

class LogBuilder {
 public:
  // Where the rows of a log are kept.
  struct Place {
    std::string folder = {};  // the tiles are in a file in this folder, or in memory if it is empty
    // The number of the first row that this process has, a multiple of kStripRows; the rows before it
    // belong to other ranks.
    std::size_t first_row = 0;
  };
  // `notes` are the LogPlan::notes of the log.
  LogBuilder(LogLayout layout, OutcomeKind outcome, std::vector<std::string> notes,
             const Place& place);
  LogBuilder(LogLayout layout, OutcomeKind outcome)
      : LogBuilder(std::move(layout), outcome, {}, {}) {}
  LogBuilder(const LogBuilder&) = delete;
  LogBuilder& operator=(const LogBuilder&) = delete;

  // Appends the rows of a chunk. The chunk must have the columns of layout.requests, in the same
  // order. Several threads may append chunks at the same time, in any order. The log does not
  // depend on this order, but an Error does: if several rows are wrong, it may name any of them.
  void append(const TableChunk& chunk);
  // Chooses how numbers are stored from the first strip of the whole log, whoever has its rows.
  // `columns` has the values of each feature; those of text columns are not used.
  void look_at_first_rows(const std::vector<std::vector<double>>& columns);
  // Returns the log; threads = 0 means all cores. `ranks` has the processes that share the rows, or is
  // null. The result then has the rows of this process, encoded as in a process that has all rows.
  LoggedData finish(int threads, Ranks* ranks = nullptr) &&;

 private:
  struct TextContext {
    SharedTextCodes codes;
    std::atomic<bool> has_missing = false;
    // These are filled after the last row: the distinct texts of all ranks with the weights of their
    // levels, and the summed weight of the rows without a text.
    SharedTextCodes::Sorted found = {};
    double missing_weight = 0;
  };

  void look_for_fractions(const TableChunk& chunk);
  std::vector<double> code_texts(const TableChunk& chunk, std::size_t context);
  void complete_levels(std::size_t context, Ranks* ranks);
  void refuse_many_levels(std::size_t context, std::size_t num_levels) const;
  std::string levels_and_own(std::size_t context, const std::string& before);
  void share_flags(Ranks& ranks);
  RawFeatures::CodedLevels coded_levels(std::size_t context, const ContextColumn& column) const;
  void refuse_stray_text(std::size_t context, const SharedTextCodes::Sorted& found) const;
  double frequency(double weight) const;
  ContextColumn describe_number(std::size_t context) const;
  ContextColumn describe_text(std::size_t context) const;
  std::optional<LevelPairs> pairs_of(std::size_t first, std::size_t second, const Encoder& encoder,
                                     Ranks* ranks) const;
  Encoder make_encoder(Ranks* ranks) const;

  LogLayout layout_;
  std::mutex fingerprint_mutex_;
  Fingerprint fingerprint_;
  LogLabels labels_;
  RawFeatures features_;
  // One entry per context; entries of number contexts are not used.
  std::vector<TextContext> texts_;
  // One entry per context: true if some value is not whole.
  std::vector<std::atomic<bool>> has_fraction_;
  std::vector<std::string> notes_;  // see LoggedData::notes
};

// Adds all columns of a chunk to the fingerprint. The chunk must have been read with
// LogLayout::requests.
void add_to_fingerprint(Fingerprint& fingerprint, const TableChunk& chunk);

}  // namespace otss::internal
