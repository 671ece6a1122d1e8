// This header describes the factors: the unit in which their weights can be compared, and how
// important they are.
#pragma once

#include <vector>

#include "report/report_input.hpp"

namespace otss::internal {

// Returns one entry per factor. `importance` is not set yet (set_importance).
std::vector<FactorFacts> factor_facts(const ReportInput& input);

// Returns FactorFacts::sd of each factor.
std::vector<double> sds_of(const std::vector<FactorFacts>& factors);

// Sets FactorFacts::importance. `average` has the mean weights, which are used without LOG.
void set_importance(const ReportInput& input, const std::vector<Estimate>& average,
                    std::vector<FactorFacts>& factors);

}  // namespace otss::internal
