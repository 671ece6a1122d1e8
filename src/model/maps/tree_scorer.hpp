// Boosted trees as they are deployed: scores of (x, z), no weights. Independent of the library that
// trained them.
#pragma once

#include <span>
#include <vector>

#include "otss/model/weight_map.hpp"

namespace otss {

struct TreeNode {
  static constexpr int kLeaf = -1;
  int feature = kLeaf;  // column of [x, z]
  double value = 0;     // split: go left if the feature is below it; leaf: added to the score
  int left = 0;  // index of a child, larger than the parent's, so that every walk ends; leaf: 0
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

// Converts a scorer of standardised factors z to one of factors in the log's units, z * scale +
// center.
TreeScorer in_units(const TreeScorer& scorer, std::span<const double> centers,
                    std::span<const double> scales);

// True if the tree is valid: it has a root, and its features and children are in range.
bool is_walkable(const Tree& tree, int num_features);

}  // namespace otss
