// Json is the type of the summaries that --json prints.
#pragma once

#include <nlohmann/json.hpp>

namespace otss::app {

using Json = nlohmann::json;

}  // namespace otss::app
