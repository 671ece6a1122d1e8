// evaluate --propensity: what the model's decisions are worth on a log that another policy made.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "json.hpp"
#include "otss/decide/evaluate.hpp"

namespace otss::app {

// What a decision may be chosen from.
struct FeasibleArguments {
  std::string library, candidates, context_id, id;
};

struct PolicyArguments {
  std::string propensity, decision;
  double level = 0.9;
  bool in_sample = false;

  void add(CLI::App& command);
  bool is_given() const { return !propensity.empty(); }
  PolicyQuestion question() const;
  // Options that need each other, or mean nothing together.
  void check_usage(const CLI::App& command, const FeasibleArguments& feasible) const;
};

Json policy_json(const EvaluatedPolicy& policy);
std::string policy_text(const PolicyValue& value);

}  // namespace otss::app
