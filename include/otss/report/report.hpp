// This header makes a report on a model: one HTML page that explains the model to people who do not
// read tables of coefficients, and the facts that the page shows (docs/reference/facts.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/table.hpp"
#include "otss/decide/evaluate.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/unit_states.hpp"

namespace otss {

struct ReportOptions {
  // The name of the model that the page shows.
  std::string model = "model.json";
  // A table with the model's context columns. If it also has the factors and the outcome, the report
  // says how good the predictions are on it. Absent: the report tells what the model file knows.
  std::optional<TableSource> log = {};
  // The decisions to choose from, a library or candidates. Null if there are none. Candidates need
  // `log`, whose column FeasibleSet::context_id() says which candidates a row has.
  const FeasibleSet* feasible = nullptr;
  // The column of `log` with the id of the logged decision. Empty: the logged decision is
  // recognised by its factors, if the log has them.
  std::string decision = {};
  // Asks for the value of the model's decisions. Needs `log` and `feasible`.
  std::optional<PolicyQuestion> policy = {};
  std::string compare = {};  // what `otss compare --json` printed; empty if there is none
  UnitColumns units = {};    // the units of the rows of `log`
  // Says what to do with values of `log` that did not occur in training, and with numbers far
  // outside the range of training.
  UnknownPolicy unknown = UnknownPolicy::kCount;
  OutsidePolicy outside = OutsidePolicy::kCount;
  std::uint64_t seed = 1;  // chooses the rows of the sample, for what needs single rows
  int threads = 0;         // 0 means all cores; the report does not depend on this number
  // The words of the command that makes this report again, which the page shows. Empty: no command.
  std::vector<std::string> command = {};
};

struct Report {
  std::string facts;      // a JSON document (docs/reference/facts.md)
  std::string page;       // an HTML document that needs no other file and makes no request
  UnknownCounts unknown;  // values of the log that did not occur in training
};

// Makes a report. A model without weights (boosted trees) is an Error(kInput). A table or a file
// that cannot be used is an Error that names it. The result is the same for any number of threads.
Report report(const Fitted& fitted, const ReportOptions& options = {});

// Writes the page and the facts to files. An empty path means that this file is not written. Either
// both files appear whole, or neither does.
void write_report(const Report& report, const std::string& page_path,
                  const std::string& facts_path = {});

}  // namespace otss
