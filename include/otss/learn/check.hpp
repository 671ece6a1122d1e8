// Can this log support a model? Asked before any fit, and answered also for logs that fit refuses.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "otss/data/feasible_set.hpp"
#include "otss/data/finding.hpp"
#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"

namespace otss {

struct CheckOptions {
  // What the model will choose from, if known; read with the factors of the roles, in their order.
  std::optional<FeasibleSet> feasible = {};
  int threads = 0;  // 0 takes all cores; findings do not depend on it
};

// What a log can and cannot support.
struct LogCheck {
  std::size_t rows = 0;         // of the table
  std::size_t usable_rows = 0;  // without missing or impossible values
  // Columns of the roles; those the contexts become once encoded.
  std::size_t contexts = 0, encoded_contexts = 0, factors = 0;
  std::optional<double> outcome_rate;  // of 1, over the usable rows; none where outcomes are others
  std::optional<double> condition;  // largest over least variation of the factors given the context
  Findings findings;                // the worst first
  bool identified = true;           // no finding says otherwise
};

// Degenerate data are findings. What cannot be read at all (no such file, column or number) is an
// Error.
LogCheck check_log(const TableSource& source, const Roles& roles, const CheckOptions& options = {});
LogCheck check_log(const std::string& path, const Roles& roles, const CheckOptions& options = {});

}  // namespace otss
