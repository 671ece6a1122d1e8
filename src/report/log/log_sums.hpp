// LogSums adds up weights and shares over all rows of a log.
#pragma once

#include <cstddef>
#include <vector>

#include "decide/evaluated_rows.hpp"
#include "otss/model/fitted.hpp"
#include "report/log_summary.hpp"

namespace otss::internal {

class LogSums {
 public:
  explicit LogSums(const Fitted& fitted);

  // Adds evaluated rows of the log.
  void add(const EvaluatedRows& rows);

  // Sets the means of `summary`, whose `rows` must be set. `gate` says how the gate divides all rows.
  void finish(const GateUse* gate, LogSummary& summary) const;
  // Returns the share of rows in each of GateUseFacts::kTopShareBins equal parts of 0 to 1, by the
  // largest share of an expert. Empty if the model has no experts.
  std::vector<double> top_share() const;

 private:
  std::size_t num_factors_;
  std::vector<double> weights_, magnitudes_;  // J sums over all rows
  std::vector<std::size_t> members_;    // per expert, the rows in which it has the largest share
  std::vector<double> member_weights_;  // K × J sums over the members
  std::vector<std::size_t> top_share_;  // rows by the largest share of an expert
};

}  // namespace otss::internal
