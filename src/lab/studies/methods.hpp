// The methods of the studies: how each is named, and how it is fitted.
#pragma once

#include <string>
#include <vector>

#include "lab/scoring/contest.hpp"

namespace otss {

// As tables and figures name it: "cluster" is "cluster-then-fit".
std::string method_title(const std::string& name);

// pooled, linear, low-rank, mlp, cluster, em, hard, gbm, otss (our default) and otss-ESTIMATOR.
// OTSS and hard routing are told the number of experts, as in the paper; EM and clusters choose
// theirs.
Entrant study_entrant(const std::string& name, int experts);
std::vector<Entrant> study_entrants(const std::vector<std::string>& names, int experts);

// The specification's record of them.
Json to_json(const std::vector<Entrant>& entrants);

}  // namespace otss
