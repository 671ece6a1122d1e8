// A Finding is what a check found in a log: a problem and what to do about it, or a note.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "otss/base/options.hpp"

namespace otss {

// The severity says how serious a finding is. The most serious severity comes first.
enum class Severity {
  kUnidentified,  // no fit can identify every weight from this log
  kRefused,       // `otss fit` refuses the log until the user corrects this problem
  // A model can be fitted, but some of its weights will depend on few rows, or on rows that depend
  // on each other.
  kWarning,
  kNote,  // a fact that needs no action
};

constexpr auto word_table(Severity) {
  return std::to_array<WordOf<Severity>>({{Severity::kUnidentified, "not identified"},
                                          {Severity::kRefused, "refused"},
                                          {Severity::kWarning, "warning"},
                                          {Severity::kNote, "note"}});
}

// One problem of a log, or one note about the log.
struct Finding {
  Severity severity = Severity::kNote;
  std::string kind;  // a fixed word for programs, such as "constant_factor" or "separation"
  std::string what;  // one sentence: the problem, the number that shows the problem, what to do
  std::vector<std::string> columns = {};  // the names of the columns that have the problem

  bool operator==(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

}  // namespace otss
