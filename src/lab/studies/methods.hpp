// Defines the methods of the studies: their titles, and how each of them is fitted.
#pragma once

#include <string>
#include <vector>

#include "lab/scoring/contest.hpp"

namespace otss::internal {

// Returns the title of a method in tables and figures; for example, "cluster" becomes
// "cluster-then-fit".
std::string method_title(const std::string& name);

// Returns the Entrant (contest.hpp) for a method name. The names are pooled, linear, low-rank, mlp,
// cluster, em, hard, gbm, otss (our default) and otss-ESTIMATOR, such as otss-map. OTSS and hard
// routing are given the number of experts, as in the paper; EM and cluster choose their own number.
Entrant study_entrant(const std::string& name, int experts);
std::vector<Entrant> study_entrants(const std::vector<std::string>& names, int experts);

// Returns the methods as JSON, as they are written to a study's specification.
Json to_json(const std::vector<Entrant>& entrants);

}  // namespace otss::internal
