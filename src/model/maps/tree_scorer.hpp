// Boosted trees as they are deployed: scores of (x, z), no weights. Whoever trained them has no
// part in this.
#pragma once

#include <span>
#include <vector>

#include "otss/model/weight_map.hpp"

namespace otss {

struct TreeNode {
  static constexpr int kLeaf = -1;
  int feature = kLeaf;  // column of [x, z]
  double value = 0;     // of a split: left where the feature is below it; of a leaf: what it adds
  int left = 0;         // children come after their parent, so that a walk always ends; 0 at a leaf
  int right = 0;

  bool is_leaf() const { return feature == kLeaf; }
  bool operator==(const TreeNode&) const = default;
};

using Tree = std::vector<TreeNode>;  // the root first

// The sum of the leaves that (x, z) falls into.
class TreeScorer final : public Scorer {
 public:
  TreeScorer(int num_contexts, int num_factors, std::vector<Tree> trees);
  int num_contexts() const override { return num_contexts_; }
  int num_factors() const override { return num_factors_; }
  double score(std::span<const double> x, std::span<const double> z) const override;
  const std::vector<Tree>& trees() const { return trees_; }

 private:
  int num_contexts_;
  int num_factors_;
  std::vector<Tree> trees_;
};

// The same scores for factors counted in another unit from another origin: z * scale + center.
TreeScorer in_units(const TreeScorer& scorer, std::span<const double> centers,
                    std::span<const double> scales);

// Whether a scorer can be made of it: at least a root, features and children in range.
bool is_walkable(const Tree& tree, int num_features);

}  // namespace otss
