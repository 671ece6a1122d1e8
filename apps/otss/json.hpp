// Summaries as JSON: what --json prints.
#pragma once

#include <nlohmann/json.hpp>

namespace otss::app {

using Json = nlohmann::json;

}  // namespace otss::app
