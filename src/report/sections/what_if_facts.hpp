// This header chooses what the what-if section of the page begins with: a typical context, and the
// decisions to choose from.
#pragma once

#include "report/report_input.hpp"

namespace otss::internal {

WhatIfFacts what_if_facts(const ReportInput& input);

}  // namespace otss::internal
