#pragma once

#include <string>

#include "base/json.hpp"
#include "engine/outcomes.hpp"
#include "learn/model.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// A model in standardised units as a deployable one: weights in the log's own units.
Fitted assemble(const LoggedData& log, const Outcomes& outcomes, const Model& model,
                const std::string& method, const std::string& estimator, const Json& provenance);

}  // namespace otss
