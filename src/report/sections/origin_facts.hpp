// This header says where a model comes from, and which commands make it again.
#pragma once

#include <string>
#include <vector>

#include "report/facts.hpp"

namespace otss::internal {

// `model` is the name of the model file. `command` has the words of the command that makes the
// report; it is empty if the report is not made by the command line.
OriginFacts origin_facts(const Fitted& fitted, const std::string& model,
                         const std::vector<std::string>& command);

// Returns a word as a shell reads it: in quotes if it has other characters than letters, digits and
// a few signs.
std::string shell_word(const std::string& text);

}  // namespace otss::internal
