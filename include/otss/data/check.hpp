// What stands between a log and a model, in sentences a user can act on.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace otss {

// Worst first.
enum class Severity {
  kUnidentified,  // no number of passes over this log can tell some weight
  kRefused,       // otss fit stops here, but the rest of the log may well support a model
  kWarning,       // a model can be fitted; some of it will rest on little
  kNote,
};

std::string_view severity_name(Severity severity);  // "not identified", "refused", …

struct Finding {
  Severity severity = Severity::kNote;
  std::string kind;  // for programs: "constant_factor", "separation", …
  std::string what;  // one sentence with the number that decided, and the way out
  std::vector<std::string> columns = {};
};

using Findings = std::vector<Finding>;

// The worst first; equally bad ones keep their order.
void sort_findings(Findings& findings);

// Decisions a context may choose from, as they stand in a library or a table of candidates.
struct FeasibleDecisions {
  std::string table;                  // for sentences
  std::vector<std::string> ids;       // one per decision
  std::vector<std::string> contexts;  // whom each is open to; empty: all of them to everybody
  std::vector<double> factors;        // decisions × factors, in the log's units
};

}  // namespace otss
