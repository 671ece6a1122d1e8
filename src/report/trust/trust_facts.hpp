// This header computes the facts that say how far a model can be trusted.
#pragma once

#include "otss/model/fitted.hpp"
#include "report/facts.hpp"
#include "report/log/log_pass.hpp"

namespace otss::internal {

// `pass` is null without LOG. The comparison is not set (comparison_file.hpp).
TrustFacts trust_facts(const Fitted& fitted, const LogPass* pass);

}  // namespace otss::internal
