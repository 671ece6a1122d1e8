#pragma once

#include <string>

#include "otss/model/fitted.hpp"

namespace otss::app {

// The experts as an aligned table: one row per factor, one column per expert.
std::string describe_weights(const Fitted& fitted);

// As a setting or an option is shown: numbers with three digits.
std::string in_words(const ReportValue& value);

// What was tried, what was chosen and why, then the experts: what `fit` prints. The
// report must have its data, choice, held-out losses and gain, as every fit of ours does.
std::string describe_fit(const Fitted& fitted);

}  // namespace otss::app
