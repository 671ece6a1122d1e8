// A CandidateSearch names three decisions of a library for each context. The best one and the second
// best one can only be among these three. It computes on a GPU, with less precision than the processor. The exact
// search then decides between the three in f64, so decisions, scores and margins are those of the
// processor.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "otss/base/device.hpp"
#include "otss/data/feasible_set.hpp"

namespace otss::internal {

// Rows of the feasible set's table, in increasing order. Nothing if rounding leaves it open whether the
// best two decisions are among them.
using Candidates = std::optional<std::array<std::size_t, 3>>;

// Is told the candidates of a context, given by its number.
using TakeCandidates = std::function<void(std::size_t context, const Candidates& candidates)>;

class CandidateSearch {
 public:
  virtual ~CandidateSearch() = default;
  // `w` is a matrix with one weight vector per context. Calls `take` once for each context, on up to
  // `num_threads` threads, while the GPU searches for later contexts. Several threads may call this
  // function at once.
  virtual void find(std::span<const double> w, int num_threads,
                    const TakeCandidates& take) const = 0;
};

// Only the decisions in the rows `live` of the set's table are searched; `live` must be in increasing
// order. Returns null if the device is the processor, or if the set has too few decisions or too many
// factors for a GPU. Throws Error(kUsage) if there is no such device.
std::unique_ptr<const CandidateSearch> make_candidate_search(Device device,
                                                             const FeasibleSet& feasible,
                                                             std::span<const std::size_t> live);

}  // namespace otss::internal
