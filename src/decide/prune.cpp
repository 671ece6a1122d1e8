// Decision d dominates decision e if d has the larger score under every expert. Then d has the
// larger score in every context, because w(x) is a weighted average of the experts. Scores are
// rounded, so the difference must be larger than the rounding errors of both scores. A decision
// also dominates an exact copy of itself that comes later in the library: their scores are always
// equal, and the earlier decision is ranked first.
//
// Pruning drops a decision that has at least `count` dominators among the decisions that are kept.
// Dropped decisions need not be counted, because domination is transitive: what dominates a dropped
// decision e also dominates every decision that e dominates.
#include "decide/prune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace otss::internal {
namespace {

// Limits the work of pruning to this many comparisons times the number of decisions. If many
// decisions can be dropped, pruning ends long before this limit. If the limit is reached, all
// decisions that were not compared yet are kept.
constexpr std::size_t kComparisonsPerDecision = 100;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Dominance {
 public:
  Dominance(const Mixture& mixture, const FeasibleSet& library)
      : library_(library),
        num_experts_(mixture.num_experts()),
        scores_(library.size() * num_experts_),
        totals_(library.size()),
        errors_(library.size()) {
    const std::vector<double> largest = largest_weights(mixture);
    for (std::size_t d = 0; d < library.size(); ++d) score(mixture, largest, d);
  }

  // Returns true if d has a larger total score over the experts than e, or the same total and a
  // smaller index. Only such a decision d can dominate e. prune() sorts the decisions in this
  // order.
  bool can_dominate(std::size_t d, std::size_t e) const {
    return totals_[d] > totals_[e] || (totals_[d] == totals_[e] && d < e);
  }

  bool dominates(std::size_t d, std::size_t e) const {
    const double rounding = errors_[d] + errors_[e];
    const double* of_d = scores_.data() + d * num_experts_;
    const double* of_e = scores_.data() + e * num_experts_;
    for (std::size_t k = 0; k < num_experts_; ++k) {
      if (!(of_d[k] - of_e[k] > rounding)) return d < e && is_copy(d, e);
    }
    return true;
  }

 private:
  static std::vector<double> largest_weights(const Mixture& mixture) {
    std::vector<double> largest(mixture.num_factors(), 0);
    for (int k = 0; k < mixture.num_experts(); ++k) {
      const auto expert = mixture.expert(k);
      for (std::size_t j = 0; j < largest.size(); ++j) {
        largest[j] = std::max(largest[j], std::abs(expert[j]));
      }
    }
    return largest;
  }

  // Computes the scores of decision d under all experts, and a bound on the rounding error of its
  // score w'z. This error is at most n epsilon sum_j max_k |beta_kj| |z_j|, where n is the number
  // of roundings: about K in the shares and the mixture, J in w'z, and J in the expert scores that
  // are compared here. The bound is four times larger, to be safe. A product below the smallest
  // normal number may be replaced by zero, so the bound also contains the smallest normal number.
  void score(const Mixture& mixture, const std::vector<double>& largest, std::size_t d) {
    const auto z = library_.factors_of(d);
    double size = 0;
    for (std::size_t j = 0; j < z.size(); ++j) size += largest[j] * std::abs(z[j]);
    const double roundings = 4.0 * (static_cast<double>(num_experts_) + 2.0 * z.size() + 8);
    errors_[d] = roundings * (kEpsilon * size + std::numeric_limits<double>::min());
    for (std::size_t k = 0; k < num_experts_; ++k) {
      const auto expert = mixture.expert(static_cast<int>(k));
      const double score = std::inner_product(z.begin(), z.end(), expert.begin(), 0.0);
      scores_[d * num_experts_ + k] = score;
      totals_[d] += score;
    }
    // The total of inf and -inf is NaN, and NaN cannot be sorted.
    if (std::isnan(totals_[d])) totals_[d] = -kInfinity;
  }

  bool is_copy(std::size_t d, std::size_t e) const {
    return std::ranges::equal(library_.factors_of(d), library_.factors_of(e));
  }

  const FeasibleSet& library_;
  std::size_t num_experts_;
  std::vector<double> scores_;  // the score of each decision under each expert, decisions × experts
  std::vector<double> totals_;  // for each decision, the sum of its scores over the experts
  std::vector<double> errors_;  // for each decision, a bound on the rounding error of its score
};

}  // namespace

std::vector<std::size_t> prune(const Mixture& mixture, const FeasibleSet& library,
                               std::size_t count) {
  const Dominance dominance(mixture, library);
  std::vector<std::size_t> order(library.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](auto d, auto e) { return dominance.can_dominate(d, e); });

  std::vector<std::size_t> kept;
  std::size_t comparisons_left = kComparisonsPerDecision * library.size();
  for (const std::size_t e : order) {
    std::size_t dominators = 0;
    for (std::size_t i = 0; i < kept.size() && dominators < count && comparisons_left > 0; ++i) {
      dominators += dominance.dominates(kept[i], e) ? 1 : 0;
      --comparisons_left;
    }
    if (dominators < count) kept.push_back(e);
  }
  std::ranges::sort(kept);
  return kept;
}

}  // namespace otss::internal
