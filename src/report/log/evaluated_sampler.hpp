// An EvaluatedSampler keeps predictions and outcomes of a random sample of the rows of a log, and what
// the value of the model's decisions is estimated from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decide/evaluated_rows.hpp"
#include "decide/row_decider.hpp"
#include "otss/decide/policy_value.hpp"
#include "report/log/log_pass.hpp"
#include "report/log/row_sampler.hpp"

namespace otss::internal {

class EvaluatedSampler {
 public:
  EvaluatedSampler(std::size_t most, std::uint64_t seed);

  // Consecutive rows of the log. Parts that are not known are empty.
  struct Rows {
    const EvaluatedRows& evaluated;
    std::span<const std::uint64_t> groups;  // a hash of the name of each row's group
    const PolicyLog& policy;
    std::span<const Decision> best;
  };
  void add(std::size_t num_rows, const Rows& rows);

  EvaluatedSample evaluated() const;
  // Returns the rows for policy_value. `was_logged` says of each decision whether it was logged in
  // some row of the log; it is empty if this is not known.
  PolicyLog policy_log(std::span<const std::uint8_t> was_logged) const;

 private:
  RowSampler sampler_;
  EvaluatedSample evaluated_;
  std::vector<std::uint64_t> groups_;
  PolicyLog policy_;
  std::vector<std::uint32_t> chosen_;  // the row of the model's decision in the feasible set
};

}  // namespace otss::internal
