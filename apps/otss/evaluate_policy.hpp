// evaluate --propensity: the value of the model's decisions, from a log that another policy made.
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
  std::string propensity, decision;  // columns of TABLE
  double level = 0.9;                // confidence level of the intervals
  bool in_sample = false;            // allow the table that the model was fitted on

  void add(CLI::App& command);
  bool is_given() const { return !propensity.empty(); }
  PolicyQuestion question() const;
  // Throws an Error if an option is given without another option that it needs, or together with an
  // option that it cannot be combined with.
  void check_usage(const CLI::App& command, const FeasibleArguments& feasible) const;
};

// Return the value of the policy as --json prints it, and as the tables of the text output.
Json policy_json(const EvaluatedPolicy& policy);
std::string policy_text(const PolicyValue& value);

}  // namespace otss::app
