// Makes the tables and figures that several studies show in the same form.
#pragma once

#include <string>
#include <vector>

#include "lab/studies/study.hpp"

namespace otss::internal {

// Returns a text such as "0.123 ± 0.045".
std::string mean_and_sd(double mean, double sd, int digits = 3);
// Returns a text such as "+0.0120 [+0.0030, +0.0240]"; without an interval if its ends are NaN.
std::string value_and_interval(double value, const Interval& interval);

// Returns a table with one row per method. Its columns are the treatment of the settings, the
// paper's numbers, our mean ± standard deviation, our mean divided by that of the oracle gate, and
// the differences "OTSS minus this method" and "auto minus this method" with paired intervals. OTSS
// and auto have the same treatment as the method. A sentence below says how many of the intervals
// would exclude zero by chance.
std::string method_table(const StudySetting& setting, const Contest& contest);

// Returns a dot plot of `field`. The plot shows means with 95 % intervals, one faint point per
// seed, and the paper's values as hollow marks.
RowPanel method_panel(const std::string& title, const StudySetting& setting, const Contest& contest,
                      double Scorecard::*field);

// Returns one table per setting, and two figures with one panel per setting: one of regret, one of
// weight error.
StudyPage present_methods(const Study& study, const std::vector<Contest>& contests);

}  // namespace otss::internal
