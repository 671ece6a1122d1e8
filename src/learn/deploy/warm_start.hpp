// Starts a fit from the model of an earlier log.
#pragma once

#include <vector>

#include "learn/problem/problem.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

struct WarmStart {
  MixtureLayout layout;
  std::vector<double> theta;  // the model, in the new log's standardised units
};

// Matches columns by name; a level that the model does not know starts with zero gate slopes.
// Throws Error(kInput) if the model is not a mixture with a linear gate, or has other columns than
// the log.
WarmStart warm_start(const Fitted& model, const LoggedData& log);

}  // namespace otss
