// Builds a LoggedData from chunks of raw columns, in one pass.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/log/fingerprint.hpp"
#include "data/log/log_labels.hpp"
#include "data/log/log_layout.hpp"
#include "data/log/log_plan.hpp"
#include "data/log/raw_features.hpp"
#include "data/log/text_codes.hpp"
#include "otss/data/logged_data.hpp"

namespace otss {

// A text context with more different values than this is refused as an id.
inline constexpr std::size_t kMostLevels = 1000;

class LogBuilder {
 public:
  // `notes` are those of the log's plan.
  LogBuilder(LogLayout layout, OutcomeKind outcome, std::vector<std::string> notes = {});
  LogBuilder(const LogBuilder&) = delete;
  LogBuilder& operator=(const LogBuilder&) = delete;

  // The chunk has the columns of layout.requests, in the same order.
  void append(const TableChunk& chunk);
  LoggedData finish(int threads) &&;  // threads = 0 means all cores

 private:
  struct TextContext {
    TextCodes codes;
    std::vector<TextLevel> levels;  // one per code
    bool has_missing = false;
    double missing_weight = 0;
    std::vector<double> coded;  // the codes of the current chunk
  };

  void look_for_fractions(const TableChunk& chunk);
  void code_texts(const TableChunk& chunk, std::size_t context);
  void check_levels(std::size_t context) const;
  double frequency(double weight) const;
  ContextColumn describe_number(std::size_t context) const;
  ContextColumn describe_text(std::size_t context) const;
  Encoder make_encoder() const;

  LogLayout layout_;
  Fingerprint fingerprint_;
  LogLabels labels_;
  RawFeatures features_;
  std::vector<TextContext> texts_;  // one per context; not used for contexts of numbers
  std::vector<bool> has_fraction_;  // one per context: true if some value is not whole
  std::vector<std::string> notes_;
};

// Adds all columns of a chunk to the fingerprint. The chunk must have been read with
// LogLayout::requests.
void add_to_fingerprint(Fingerprint& fingerprint, const TableChunk& chunk);

}  // namespace otss
