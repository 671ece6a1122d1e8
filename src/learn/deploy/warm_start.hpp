// A model of an earlier log as a start for a new one.
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

// Columns are matched by name; a level that the model has not seen starts without effect on the
// gate. Error(kInput) when the model is no mixture behind a linear gate, or its columns are not the
// log's.
WarmStart warm_start(const Fitted& model, const LoggedData& log);

}  // namespace otss
