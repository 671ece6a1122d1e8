// This header limits the numbers of models and decisions, so that their products do not overflow.
#pragma once

namespace otss::internal {

// The largest absolute value of a model's parameter and of a decision's factor. Weights, scores and
// predictions are sums of products. Each product has one parameter and either one factor or at most
// two encoded context values, which are at most 1e15. So these sums are finite.
inline constexpr double kLargestNumber = 1e100;

}  // namespace otss::internal
