// This header says where a model comes from, and which commands make it again.
#pragma once

#include <string>

#include "report/facts.hpp"

namespace otss::internal {

// `model` is the name of the model file. `report_command` is the command that makes the report;
// it is empty if the report is not made by the command line.
OriginFacts origin_facts(const Fitted& fitted, const std::string& model,
                         const std::string& report_command);

}  // namespace otss::internal
