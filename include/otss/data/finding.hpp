// Problems found in a log, as sentences that say what to do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace otss {

// How serious a finding is, most serious first.
enum class Severity {
  kUnidentified,  // this log cannot identify every weight, however it is fitted
  kRefused,       // otss fit refuses the log; once this is corrected, a model may be fitted
  kWarning,       // a model can be fitted, but some of its weights will rest on few rows
  kNote,          // information only
};

std::string_view severity_name(Severity severity);  // "not identified", "refused", …

// One thing found in a log.
struct Finding {
  Severity severity = Severity::kNote;
  std::string kind;  // for programs: "constant_factor", "separation", …
  std::string what;  // one sentence: the problem with the deciding number, and what to do
  std::vector<std::string> columns = {};  // names of the columns concerned
};

using Findings = std::vector<Finding>;

}  // namespace otss
