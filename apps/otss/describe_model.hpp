#pragma once

#include <string>

#include "otss/model/fitted.hpp"

namespace otss::app {

// The experts as an aligned table: one row per factor, one column per expert.
std::string describe_weights(const Fitted& fitted);

// What was tried, what was chosen and why, then the experts: what `fit` prints.
std::string describe_fit(const Fitted& fitted);

}  // namespace otss::app
