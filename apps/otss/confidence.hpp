// This header adds options that take a confidence level, and checks that the model has the
// intervals that these options need.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "otss/model/fitted.hpp"

namespace otss::app {

// Adds an option that takes a confidence level: a number above 0 and at most kHighestConfidence.
void add_level(CLI::App& command, const std::string& name, double& level, const std::string& help);

// Throws an Error that names `option` if the model has no intervals for its weights.
void require_uncertainty(const Fitted& fitted, const std::string& option);

// Says on stderr which checks of the model's weights failed (WeightChecks), and what this means for
// intervals and certificates.
void note_failed_checks(const Fitted& fitted);

}  // namespace otss::app
