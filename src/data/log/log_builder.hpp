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
  // `notes` are the LogPlan::notes of the log. The tiles of the log are kept in a file in `folder`,
  // or in memory if `folder` is empty.
  LogBuilder(LogLayout layout, OutcomeKind outcome, std::vector<std::string> notes = {},
             const std::string& folder = {});
  LogBuilder(const LogBuilder&) = delete;
  LogBuilder& operator=(const LogBuilder&) = delete;

  // Appends the rows of a chunk. The chunk must have the columns of layout.requests, in the same
  // order. Several threads may append chunks at the same time, in any order. The log does not
  // depend on this order, but an Error does: if several rows are wrong, it may name any of them.
  void append(const TableChunk& chunk);
  LoggedData finish(int threads) &&;  // returns the log; threads = 0 means all cores

 private:
  struct TextContext {
    SharedTextCodes codes;
    std::atomic<bool> has_missing = false;
    // These are filled after the last row: the distinct texts with the weights of their levels, and
    // the summed weight of the rows without a text.
    SharedTextCodes::Sorted found = {};
    double missing_weight = 0;
  };

  void look_for_fractions(const TableChunk& chunk);
  std::vector<double> code_texts(const TableChunk& chunk, std::size_t context);
  void complete_levels(std::size_t context);
  void refuse_stray_text(std::size_t context, const SharedTextCodes::Sorted& found) const;
  double frequency(double weight) const;
  ContextColumn describe_number(std::size_t context) const;
  ContextColumn describe_text(std::size_t context) const;
  std::optional<LevelPairs> pairs_of(std::size_t first, std::size_t second,
                                     const Encoder& encoder) const;
  Encoder make_encoder() const;

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
