// Options that take a confidence, and the models that can answer them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "otss/model/fitted.hpp"

namespace otss::app {

void add_level(CLI::App& command, const std::string& name, double& level, const std::string& help);

// An Error naming the option where a model does not know how sure its weights are.
void require_uncertainty(const Fitted& fitted, const std::string& option);

}  // namespace otss::app
