#pragma once

#include <string>

#include "otss/model/fitted.hpp"

namespace otss::app {

// Returns the weights as a table with one row per factor and one column per expert. For a model
// without experts, or with more than 12 experts, the table has only one column: the weights in the
// average context.
std::string describe_weights(const Fitted& fitted);

// Returns the value of a setting or an option as text. Numbers have three significant digits.
std::string in_words(const ReportValue& value);

// Returns the text that otss fit prints: the settings that were tried, the chosen setting, the
// reason for this choice, and the weights. The model's report must have the fields data, choice,
// held_out and gain. The report of otss::fit always has these fields.
std::string describe_fit(const Fitted& fitted);

}  // namespace otss::app
