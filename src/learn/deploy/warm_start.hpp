// Converts the model of an earlier log to a starting point for a fit.
#pragma once

#include <vector>

#include "learn/problem/problem.hpp"
#include "otss/data/encoder.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

struct WarmStart {
  MixtureLayout layout;
  std::vector<double> theta;  // the model's parameters, in the new log's standardised units
};

// Converts an earlier model to a starting point for a fit to a log with the encoder `log`. Columns are matched by name; a
// level that the model does not know starts with zero gate slopes. Throws Error(kInput) if the
// model is not a mixture with a linear gate, or if its columns are not those of the log.
WarmStart warm_start(const Fitted& model, const Encoder& log);

}  // namespace otss::internal
