// This header computes all facts of a report.
#pragma once

#include "otss/report/report.hpp"
#include "report/facts.hpp"

namespace otss::internal {

Facts gather_facts(const Fitted& fitted, const ReportOptions& options);

}  // namespace otss::internal
