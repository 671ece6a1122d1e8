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
  int num_left_out = 0;        // the number of experts with a mean share below kLeastShownShare
};

// Returns the experts with a mean share of at least kLeastShownShare. Returns all experts if the
// model file does not have the shares. Precondition: the model has experts.
ShownExperts shown_experts(const Fitted& fitted);

// Returns a text about the segments. For each expert, the text gives its share, how the weights of
// the segment's members differ from the average, and the context columns in which the members
// differ most from all contexts. If the shares are the same in every context, the text says how the
// weights of each expert differ from the average. Returns an empty text for a model with one expert, with more than
// FitDiagnostics::kMostSegments experts, or with a report that has no segments.
std::string describe_segments(const Fitted& fitted);

// Returns a text for a model whose weights are linear in the context. For each factor, the text
// names the context columns that change the factor's weight most. Returns an empty text for other
// models.
std::string describe_movements(const Fitted& fitted);

}  // namespace otss::app
