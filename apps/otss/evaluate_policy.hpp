// evaluate --propensity: what the model's decisions are worth on a log that another policy made.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "json.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/decide/policy_value.hpp"
#include "otss/model/fitted.hpp"

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
  // Options that need each other, or mean nothing together.
  void check_usage(const CLI::App& command, const FeasibleArguments& feasible) const;
};

struct EvaluatedPolicy {
  PolicyValue value;
  bool in_sample = false;
  std::vector<std::string> warnings;

  Json json() const;
  std::string text() const;
};

// Refuses the rows the model was fitted on, unless they are asked for.
EvaluatedPolicy evaluate_policy(const PolicyArguments& arguments, const FeasibleSet& feasible,
                                const Fitted& fitted, TableReader& reader);

}  // namespace otss::app
