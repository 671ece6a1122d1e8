// LogLabels collects the columns of a log that are not features: outcome, weight, group, unit
// and time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/log/log_layout.hpp"
#include "data/log/text_codes.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

class LogLabels {
 public:
  LogLabels(const LogLayout& layout, OutcomeKind outcome)
      : layout_(layout), outcome_kind_(outcome) {}

  void append(const TableChunk& chunk);
  void check_all_rows() const;
  // Returns the sum of the weights. If the log has no weights, the sum is the number of rows.
  double total_weight() const { return total_weight_; }
  std::span<const float> weights() const { return weights_; }  // empty if the log has no weights
  void move_into(LoggedData::Parts& parts) &&;

 private:
  void append_groups(const ColumnChunk& chunk, std::size_t first_row);
  void append_units(const ColumnChunk& chunk, std::size_t first_row);

  const LogLayout& layout_;
  OutcomeKind outcome_kind_;
  std::vector<float> outcomes_;
  std::vector<float> weights_;
  double total_weight_ = 0;
  std::vector<double> times_;
  TextCodes group_codes_;
  std::vector<std::uint32_t> groups_;
  TextCodes unit_codes_;
  std::vector<std::uint32_t> units_;
};

}  // namespace otss::internal
