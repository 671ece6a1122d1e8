// A ReportInput is what the sections of a report are computed from.
#pragma once

#include "otss/data/feasible_set.hpp"
#include "otss/model/fitted.hpp"
#include "report/facts.hpp"
#include "report/log_summary.hpp"

namespace otss::internal {

struct ReportInput {
  const Fitted& fitted;
  const LogSummary* log = nullptr;        // null without LOG
  const FeasibleSet* feasible = nullptr;  // null if no library and no candidates are given
  ContextSample contexts = {};            // the sample of LOG; without LOG, one typical context
  int threads = 0;                        // 0 means all cores

  const Encoder& encoder() const { return fitted.encoder(); }
  FactSource source() const { return log != nullptr ? FactSource::kLog : FactSource::kTraining; }
};

}  // namespace otss::internal
