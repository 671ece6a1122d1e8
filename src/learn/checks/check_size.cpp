#include "learn/checks/check_size.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "model/maps/mixture_layout.hpp"

namespace otss::internal {
namespace {

// If the rarer outcome has fewer rows per parameter than this, the penalty determines the weights
// more than the log does.
constexpr double kFewPerParameter = 5;

}  // namespace

void check_size(const LoggedData& log, Findings& findings) {
  const auto ones = static_cast<double>(std::ranges::count(log.outcomes(), 1.0F));
  const double rarer = std::min(ones, static_cast<double>(log.num_rows()) - ones);
  const MixtureLayout layout{log.num_contexts(), log.num_factors(), 1};
  // The baseline's intercept and the expert's intercept have the same effect, so they count as one
  // parameter.
  const std::size_t parameters = layout.size() - 1;
  const std::string needed = fmt::format(
      "{} parameters of the pooled model ({} encoded contexts, {} factors, an intercept)",
      parameters, log.num_contexts(), log.num_factors());
  if (log.num_rows() < layout.size()) {
    findings.push_back(
        {Severity::kUnidentified,
         "too_few_rows",
         fmt::format("{} usable rows are too few for the {}; add rows, or name fewer "
                     "columns in --context or --factors",
                     log.num_rows(), needed),
         {}});
  } else if (rarer < kFewPerParameter * static_cast<double>(parameters)) {
    findings.push_back(
        {Severity::kWarning,
         "too_few_rows",
         fmt::format("the rarer outcome has {:.0f} rows, which is {:.1f} rows for each of the {}; "
                     "below {:.0f} rows per parameter the penalty determines the weights more than "
                     "the log does; add rows, or name fewer columns in --context or --factors",
                     rarer, rarer / static_cast<double>(parameters), needed, kFewPerParameter),
         {}});
  }
}

}  // namespace otss::internal
