// The limit on numbers that are multiplied with each other, so that no result overflows.
#pragma once

namespace otss::internal {

// The largest absolute value of a parameter of a model and of a factor of a decision. Weights,
// scores and predictions are then finite: they are sums of products of a parameter with an encoded
// context (up to 1e15), with a product of two of these, or with a factor.
inline constexpr double kLargestNumber = 1e100;

}  // namespace otss::internal
