#pragma once

#include <optional>
#include <string>
#include <vector>

#include "otss/model/fitted.hpp"

namespace otss::app {

// The experts that a table shows, and their shares.
struct ShownExperts {
  std::vector<int> experts;    // the numbers of the experts, counted from 0
  std::vector<double> shares;  // the mean share of each shown expert; empty if not known
  int num_left_out = 0;        // experts that hardly any context uses
};

// Returns the experts with a mean share of at least kLeastShownShare. Returns all experts if the
// model file does not have the shares. Precondition: the model has experts.
ShownExperts shown_experts(const Fitted& fitted);

// Returns the segments in words: for each expert its share, what its contexts want relative to the
// average, and in which context columns they differ from the others. Returns an empty text for a
// model with one expert, with very many experts, or with a report that has no segments.
std::string describe_segments(const Fitted& fitted);

// Returns, for weights that are linear in the context, which context columns move the weight of each
// factor most. Returns an empty text for other models.
std::string describe_movements(const Fitted& fitted);

}  // namespace otss::app
