// What the command fit says about the model that it has fitted.
#pragma once

#include "json.hpp"
#include "otss/model/fitted.hpp"

namespace otss::app {

// Returns the summary that --json prints.
Json summary(const Fitted& fitted, double seconds);

// Prints the warning of the report that intervals may be too narrow, if there is one.
void warn_about_uncertainty(const Fitted& fitted);

}  // namespace otss::app
