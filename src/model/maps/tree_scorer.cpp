#include "model/maps/tree_scorer.hpp"

#include <algorithm>
#include <cassert>

namespace otss::internal {

TreeScorer::TreeScorer(int num_contexts, int num_factors, std::vector<Tree> trees)
    : num_contexts_(num_contexts), num_factors_(num_factors), trees_(std::move(trees)) {
  assert(std::ranges::all_of(
      trees_, [&](const Tree& tree) { return is_walkable(tree, num_contexts + num_factors); }));
}

double TreeScorer::score(std::span<const double> x, std::span<const double> z) const {
  double sum = 0;
  for (const Tree& tree : trees_) {
    const TreeNode* node = tree.data();
    while (!node->is_leaf()) {
      const bool is_context = node->feature < num_contexts_;
      const double feature = is_context ? x[node->feature] : z[node->feature - num_contexts_];
      node = &tree[feature < node->value ? node->left : node->right];
    }
    sum += node->value;
  }
  return sum;
}

TreeScorer in_units(const TreeScorer& scorer, std::span<const double> centers,
                    std::span<const double> scales) {
  std::vector<Tree> trees = scorer.trees();
  for (Tree& tree : trees) {
    for (TreeNode& node : tree) {
      const int factor = node.feature - scorer.num_contexts();
      if (!node.is_leaf() && factor >= 0)
        node.value = node.value * scales[factor] + centers[factor];
    }
  }
  return {scorer.num_contexts(), scorer.num_factors(), std::move(trees)};
}

bool is_walkable(const Tree& tree, int num_features) {
  const int size = static_cast<int>(tree.size());
  for (int i = 0; i < size; ++i) {
    const TreeNode& node = tree[i];
    const bool inner = node.feature >= 0 && node.feature < num_features && node.left > i &&
                       node.left < size && node.right > i && node.right < size;
    const bool leaf = node.is_leaf() && node.left == 0 && node.right == 0;
    if (!inner && !leaf) return false;
  }
  return size > 0;
}

}  // namespace otss::internal
