// This header runs otss evaluate --propensity. This command estimates the value of the model's
// decisions from a log whose decisions another policy chose.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "json.hpp"
#include "otss/decide/evaluate.hpp"

namespace otss::app {

// The options that name the decisions to choose from.
struct FeasibleArguments {
  std::string library, candidates, context_id, id;
};

struct PolicyArguments {
  std::string propensity, decision;  // the names of two columns of TABLE
  bool in_sample = false;            // true: allow a table that the model was fitted on

  void add(CLI::App& command);
  bool is_given() const { return !propensity.empty(); }
  PolicyQuestion question(double level) const;  // `level` is the confidence of the intervals
  // Throws an Error if an option is given but another option that it needs is missing. Also throws
  // an Error if two options are given that cannot be combined.
  void check_usage(const CLI::App& command, const FeasibleArguments& feasible) const;
};

// policy_json returns the value of the policy as JSON, for --json. policy_text returns it as the
// tables of the text output.
Json policy_json(const EvaluatedPolicy& policy);
std::string policy_text(const PolicyValue& value);

}  // namespace otss::app
