#include "model/file/tree_json.hpp"

#include <fmt/core.h>

#include <cmath>

namespace otss::internal {
namespace {

// Returns a list with the value of one field for each node of a tree.
template <class T>
std::vector<T> column(const Tree& tree, T TreeNode::*field) {
  std::vector<T> values;
  values.reserve(tree.size());
  for (const TreeNode& node : tree) values.push_back(node.*field);
  return values;
}

Json tree_to_json(const Tree& tree) {
  return {{"features", column(tree, &TreeNode::feature)},
          {"values", column(tree, &TreeNode::value)},
          {"left", column(tree, &TreeNode::left)},
          {"right", column(tree, &TreeNode::right)}};
}

std::vector<int> indices(JsonFields& fields, const std::string& name, std::size_t size) {
  const std::vector<double> numbers = fields.numbers(name);
  if (numbers.size() != size) fields.fail(name, "does not have one entry per node");
  std::vector<int> result;
  for (const double number : numbers) {
    constexpr double kMost = 1e9;
    if (!(std::abs(number) <= kMost) || number != std::floor(number))
      fields.fail(name, "has an entry that is not an index");
    result.push_back(static_cast<int>(number));
  }
  return result;
}

Tree tree_from_json(JsonFields fields, int num_features) {
  const std::vector<double> values = fields.numbers("values");
  const std::vector<int> features = indices(fields, "features", values.size());
  const std::vector<int> left = indices(fields, "left", values.size());
  const std::vector<int> right = indices(fields, "right", values.size());
  fields.finish();
  Tree tree;
  for (std::size_t i = 0; i < values.size(); ++i)
    tree.push_back({features[i], values[i], left[i], right[i]});
  if (!is_walkable(tree, num_features))
    fields.fail(
        "left",
        "and field 'right' do not point from each node to later nodes; fit the model again");
  return tree;
}

}  // namespace

Json trees_to_json(const TreeScorer& scorer) {
  Json trees = Json::array();
  for (const Tree& tree : scorer.trees()) trees.push_back(tree_to_json(tree));
  return {{"kind", "trees"}, {"trees", std::move(trees)}};
}

std::shared_ptr<const TreeScorer> trees_from_json(JsonFields fields, int num_contexts,
                                                  int num_factors) {
  if (fields.text("kind") != "trees")
    fields.fail("kind",
                "has a value that this version of otss does not know; install a newer version, or "
                "fit the model again");
  std::vector<Tree> trees;
  for (const Json& tree : fields.array("trees")) {
    const std::string where = fmt::format("{}.trees[{}]", fields.where(), trees.size());
    trees.push_back(tree_from_json(JsonFields(tree, where), num_contexts + num_factors));
  }
  fields.finish();
  return std::make_shared<TreeScorer>(num_contexts, num_factors, std::move(trees));
}

}  // namespace otss::internal
