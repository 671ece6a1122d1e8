// This header writes the sections of a report that tell what the model says: the answer, the
// segments, who they are, and how weights move.
#pragma once

#include "base/json.hpp"
#include "report/facts.hpp"

namespace otss::internal {

Json answer_to_json(const Facts& facts);
Json segments_to_json(const Facts& facts);
Json membership_to_json(const MembershipFacts& membership, const Fitted& fitted);
Json movements_to_json(const MovementsFacts& movements);

}  // namespace otss::internal
