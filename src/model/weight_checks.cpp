#include "otss/model/weight_checks.hpp"

#include <fmt/core.h>

namespace otss {

std::vector<std::string> failed_checks(const WeightChecks& checks) {
  std::vector<std::string> sentences;
  if (checks.gate && !checks.gate->fits()) {
    sentences.push_back(fmt::format(
        "the gate does not fit: the weights also depend on squares or pairs of context columns "
        "(p = {:.1g}; they lower the held-out loss by {:.4f} per row), so intervals are widened; "
        "try --gate quadratic, or more experts",
        checks.gate->p_value, checks.gate->gain));
  }
  if (!checks.determined()) {
    sentences.push_back(fmt::format(
        "this log does not determine the weights of single contexts: their errors are larger than "
        "what is known of them (known share {:.2f}, at least {:g} is needed). Intervals may be too "
        "narrow, and no decision is certified; use more rows, or context columns that tell more "
        "about what people want",
        *checks.known_share, WeightChecks::kLeastKnownShare));
  }
  return sentences;
}

}  // namespace otss
