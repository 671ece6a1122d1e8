// This header computes means of weights and shares over contexts, with intervals.
#pragma once

#include <span>
#include <vector>

#include "otss/model/fitted.hpp"
#include "report/facts.hpp"

namespace otss::internal {

// Return the J mean weights and the K mean shares over contexts. x has the encoded contexts, row
// after row. A model without experts has no shares.
std::vector<double> mean_weights(const Fitted& fitted, std::span<const double> x);
std::vector<double> mean_shares(const Fitted& fitted, std::span<const double> x);

// Adds the intervals of mean weights over the contexts x to given values of these means. The values
// may be means over more contexts than x has. Without uncertainty, the intervals are not known.
std::vector<Estimate> with_intervals(const Fitted& fitted, std::span<const double> values,
                                     std::span<const double> x);

// Converts changes of a mixture's weights to changes of its shares. A change of the shares by s
// changes the weights by sum_k s_k beta_k, where the s_k sum to 0. The conversion finds the s that
// comes closest to a given change of the weights, by least squares in comparable units.
class SharesOfWeights {
 public:
  // `sds` has one number per factor: the unit in which its weight is comparable to other weights.
  SharesOfWeights(const Mixture& mixture, std::span<const double> sds);

  // Returns true if different shares always have different weights. This is not so if there are
  // more than J + 1 experts, or if an expert is an average of other experts.
  bool is_determined() const { return is_determined_; }
  // `changes` has rows of J entries. The result has rows of K entries. Precondition:
  // is_determined().
  std::vector<double> shares(std::span<const double> changes) const;

 private:
  std::size_t num_factors_, num_experts_;
  bool is_determined_ = false;
  std::vector<double> conversion_;  // (K - 1) × J
};

}  // namespace otss::internal
