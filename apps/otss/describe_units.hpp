// Describes in words how much units, such as customers, differ.
#pragma once

#include <string>

#include "json.hpp"
#include "otss/model/fitted.hpp"

namespace otss::app {

// Returns an empty text for a model that was fitted without --unit.
std::string describe_units(const Fitted& fitted);

// Returns null for a model that was fitted without --unit.
Json units_summary(const FitReport& report);

}  // namespace otss::app
