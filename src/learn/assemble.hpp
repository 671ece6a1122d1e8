#pragma once

#include <span>

#include "base/json.hpp"
#include "learn/problem.hpp"
#include "model/mixture_layout.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// A parameter vector fitted to `problem` as a deployable model: weights in the log's own units, the
// gate symmetric, experts ordered by how much they are used (the most used first).
Fitted assemble(const LoggedData& log, const Problem& problem, const MixtureLayout& layout,
                std::span<const double> theta, const std::string& method,
                const std::string& estimator, const Json& provenance);

}  // namespace otss
