// What stands between a log and a model, in sentences a user can act on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace otss {

// Worst first.
enum class Severity {
  kUnidentified,  // no number of passes over this log can tell some weight
  kRefused,       // otss fit stops here, but the rest of the log may well support a model
  kWarning,       // a model can be fitted; some of it will rest on little
  kNote,          // worth knowing
};

std::string_view severity_name(Severity severity);  // "not identified", "refused", …

// One thing found in a log.
struct Finding {
  Severity severity = Severity::kNote;
  std::string kind;  // for programs: "constant_factor", "separation", …
  std::string what;  // one sentence with the number that decided, and the way out
  std::vector<std::string> columns = {};  // those it is about, by name
};

using Findings = std::vector<Finding>;

}  // namespace otss
