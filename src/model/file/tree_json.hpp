// This header converts boosted trees to the field `trees` of the model file and back.
#pragma once

#include <memory>

#include "base/json.hpp"
#include "model/maps/tree_scorer.hpp"

namespace otss::internal {

Json trees_to_json(const TreeScorer& scorer);
std::shared_ptr<const TreeScorer> trees_from_json(JsonFields fields, int num_contexts,
                                                  int num_factors);

}  // namespace otss::internal
