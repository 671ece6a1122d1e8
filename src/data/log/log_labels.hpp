// LogLabels collects the columns of a log that are not features: outcome, weight, group, unit
// and time.
#pragma once

#include <atomic>
#include <cstdint>
#include <shared_mutex>
#include <span>
#include <vector>

#include "data/log/log_layout.hpp"
#include "data/log/text_codes.hpp"
#include "otss/base/ranks.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

class LogLabels {
 public:
  // `first_row` is the number of the first row that is added, if this process has only some rows.
  LogLabels(const LogLayout& layout, OutcomeKind outcome, std::size_t first_row = 0)
      : layout_(layout), outcome_kind_(outcome), first_row_(first_row) {}

  // Adds the labels of a chunk. Several threads may add chunks at the same time, in any order.
  void append(const TableChunk& chunk);
  // Makes the remaining checks, and cuts the vectors to their final length. Call this function
  // once, after the last row. `ranks` has the processes that share the rows, or is null.
  void complete(Ranks* ranks = nullptr);
  std::span<const float> weights() const { return weights_; }  // empty if the log has no weights
  void move_into(LoggedData::Parts& parts) &&;

 private:
  // The labels of one column, such as groups or units.
  struct Labels {
    SharedTextCodes codes;
    std::vector<std::uint32_t> of_rows;  // the code of each row's label

    // Numbers the labels in the order of their first rows, whatever the order in which threads added
    // the rows. Returns their codes in this order.
    std::vector<std::uint32_t> number_by_first_row();
  };

  void make_room(std::size_t num_rows);
  void add_codes(const ColumnChunk& chunk, std::size_t first_row, const char* role,
                 const std::string& column, Labels& labels) const;
  void resize(std::size_t num_rows);

  const LogLayout& layout_;
  OutcomeKind outcome_kind_;
  std::size_t first_row_;
  // A thread that writes rows holds this lock shared; a thread that moves the vectors holds it
  // alone.
  std::shared_mutex growing_;
  std::atomic<std::size_t> num_rows_ = 0;
  // While rows are added, the vectors may be longer than num_rows_.
  std::vector<float> outcomes_;
  std::vector<float> weights_;
  std::vector<double> times_;
  Labels groups_, units_;
};

}  // namespace otss::internal
