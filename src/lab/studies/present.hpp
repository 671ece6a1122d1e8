// Parts of a study's page that several studies share.
#pragma once

#include <string>
#include <vector>

#include "lab/studies/study.hpp"

namespace otss {

std::string mean_and_sd(double mean, double sd, int digits = 3);  // "0.123 ± 0.045"
std::string value_and_interval(double value,
                               const Interval& interval);  // "−0.012 [−0.024, −0.003]"

// Mean ± sd of every method beside the paper's numbers, its ratio to the oracle gate, and the
// reference minus it with a paired interval.
std::string method_table(const StudySetting& setting, const Contest& contest);

// A dot plot: the paper's values as hollow marks, seeds as faint points, a 95 % interval of the
// mean. The paper's numbers are of `field`.
RowPanel method_panel(const std::string& title, const StudySetting& setting, const Contest& contest,
                      double Scorecard::*field);

// One table per setting, and one figure with a panel per setting for regret and weight error each.
StudyPage present_methods(const Study& study, const std::vector<Contest>& contests);

}  // namespace otss
