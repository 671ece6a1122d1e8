// This header checks, before any fit, whether a log can support a model. The checks also run on
// logs that fit() refuses.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "otss/data/feasible_set.hpp"
#include "otss/data/finding.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"
#include "otss/model/output_family.hpp"

namespace otss {

struct CheckOptions {
  // The decisions that the model will choose from, if known. Their factors must be those that the
  // roles name, in the same order.
  std::optional<FeasibleSet> feasible = {};
  int threads = 0;  // 0: all cores; the findings do not depend on the number of threads
};

// The result of check_log().
struct LogCheck {
  std::size_t rows = 0;         // rows of the table
  std::size_t usable_rows = 0;  // rows without missing or impossible values
  // Number of context columns, of columns after the contexts are encoded, and of factor columns.
  std::size_t contexts = 0, encoded_contexts = 0, factors = 0;
  // Share of outcomes that are 1, over the usable rows; empty when outcomes are not 0 or 1.
  std::optional<double> outcome_rate;
  // The condition number of the factors given the context. To compute it, a linear function of the
  // context is subtracted from the factors. The condition number is then the largest variance of a
  // direction (a linear combination of factors) divided by the smallest.
  std::optional<double> condition;
  Findings findings;       // the most severe first
  bool identified = true;  // false when some finding has severity kUnidentified
};

// Checks the log. Degenerate data are reported as findings; a file, column or number that cannot be
// read throws an Error.
LogCheck check_log(const TableSource& source, const Roles& roles, const CheckOptions& options = {});
LogCheck check_log(const std::string& path, const Roles& roles, const CheckOptions& options = {});
LogCheck check_log(TableReader reader, const Roles& roles, const CheckOptions& options = {});

// Runs the checks of check_log() that can fail although fit() accepts the log. Returns the findings
// of severity kUnidentified about collinear factors, and about outcomes that a column determines.
// `otss fit` prints these findings as warnings. threads = 0 means all cores.
Findings find_unidentified(const LoggedData& log, OutputFamily family, int threads = 0);

// Runs the checks of check_log() that need only the encoded log: whether it has enough rows, whether
// it identifies the weights, levels in few rows, and regions of contexts in which a factor hardly
// varies. Returns findings of every severity, the most severe first. `otss fit` records them in the
// FitReport, so that a report about the model can show them without the log.
Findings find_problems(const LoggedData& log, OutputFamily family, int threads = 0);

}  // namespace otss
