#pragma once

#include <string>

#include "base/json.hpp"
#include "learn/model.hpp"
#include "learn/problem.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// A model fitted to `problem`, in standardised units, as a deployable one: weights in the log's own
// units, inside their bounds.
Fitted assemble(const LoggedData& log, const Problem& problem, const Model& model,
                const std::string& method, const std::string& estimator, const Json& provenance);

}  // namespace otss
