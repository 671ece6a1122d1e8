// Boosted trees as a scorer: they give scores of (x, z) and have no weights. This code does not use
// the library that trained the trees.
#pragma once

#include <span>
#include <vector>

#include "otss/model/weight_map.hpp"

namespace otss::internal {

struct TreeNode {
  static constexpr int kLeaf = -1;
  int feature = kLeaf;  // the column of [x, z] that a split compares; kLeaf for a leaf
  // For a split: go left if the feature is below this value; for a leaf: added to the score.
  double value = 0;
  // The index of the left child; 0 for a leaf. Children have a larger index than their parent, so
  // that every walk through a tree ends.
  int left = 0;
  int right = 0;

  bool is_leaf() const { return feature == kLeaf; }
  bool operator==(const TreeNode&) const = default;
};

using Tree = std::vector<TreeNode>;  // the first node is the root

// The score is the sum, over all trees, of the value of the leaf that (x, z) falls into.
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

// Converts a scorer that takes standardised factors z to a scorer that takes factors in the log's
// units, z * scale + center.
TreeScorer in_units(const TreeScorer& scorer, std::span<const double> centers,
                    std::span<const double> scales);

// True if the tree is valid: it has a root, and its features and children are in range.
bool is_walkable(const Tree& tree, int num_features);

}  // namespace otss::internal
