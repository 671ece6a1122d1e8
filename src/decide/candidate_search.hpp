// A CandidateSearch names three decisions of a library for each context. The best one and the second
// best one can only be among these three. It computes on a GPU, with less precision than the processor. The exact
// search then decides between the three in f64, so decisions, scores and margins are those of the
// processor.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "otss/base/device.hpp"
#include "otss/data/feasible_set.hpp"

namespace otss::internal {

// Rows of the feasible set's table, in increasing order. Nothing if rounding leaves it open whether the
// best two decisions are among them.
using Candidates = std::optional<std::array<std::size_t, 3>>;

class CandidateSearch {
 public:
  virtual ~CandidateSearch() = default;
  // `w` is a matrix of rows × J with one weight vector per context. Several threads may call this
  // function at once.
  virtual std::vector<Candidates> find(std::size_t rows, std::span<const double> w) const = 0;
};

// Only the decisions in the rows `live` of the set's table are searched; `live` must be in increasing
// order. Returns null if the device is the processor, or if the set has too few decisions or too many
// factors for a GPU. Throws Error(kUsage) if there is no such device.
std::unique_ptr<const CandidateSearch> make_candidate_search(Device device,
                                                             const FeasibleSet& feasible,
                                                             std::span<const std::size_t> live);

}  // namespace otss::internal
