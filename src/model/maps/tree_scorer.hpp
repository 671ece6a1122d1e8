// A TreeScorer computes the score of a decision with boosted trees. It has no weights. Its code
// does not use XGBoost, the library that trained the trees.
#pragma once

#include <span>
#include <vector>

#include "otss/model/weight_map.hpp"

namespace otss::internal {

struct TreeNode {
  static constexpr int kLeaf = -1;
  int feature = kLeaf;  // the column of [x, z] that a split tests, or kLeaf for a leaf
  // If the node is a split: the left child is next if the feature is below this value, else the
  // right child. If the node is a leaf: this value is added to the score.
  double value = 0;
  // The indices of the left and the right child, which are 0 for a leaf. A child has a larger index
  // than its parent, so every path from the root ends at a leaf.
  int left = 0;
  int right = 0;

  bool is_leaf() const { return feature == kLeaf; }
  bool operator==(const TreeNode&) const = default;
};

using Tree = std::vector<TreeNode>;  // a tree is a list of nodes; the first node is the root

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

// Converts a scorer of standardised factors z to a scorer of factors in the log's units, which are
// z * scale + center.
TreeScorer in_units(const TreeScorer& scorer, std::span<const double> centers,
                    std::span<const double> scales);

// Returns true if the tree is valid: it has a root, its features are in range, and every child
// comes after its parent.
bool is_walkable(const Tree& tree, int num_features);

}  // namespace otss::internal
