#pragma once

#include <string>

#include "otss/model/fitted.hpp"

namespace otss::app {

// Returns the weights as an aligned table with one row per factor and one column per expert. A
// model without experts, or with more than 12, has one column: the weights in the average context.
std::string describe_weights(const Fitted& fitted);

// Returns the text of a setting or an option; numbers have three significant digits.
std::string in_words(const ReportValue& value);

// Returns what `fit` prints: the settings tried, the choice and its reason, then the weights. The
// report must have data, choice, held-out losses and gain; the report of otss::fit always has them.
std::string describe_fit(const Fitted& fitted);

}  // namespace otss::app
