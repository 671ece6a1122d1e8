#include "learn/methods/boosting/xgboost.hpp"

#include <fmt/core.h>
#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "base/interrupt.hpp"
#include "base/json.hpp"

namespace otss::internal {
namespace {

// Throws if an XGBoost call failed. All inputs were checked when the log was read, so a failure is
// a bug of this program.
void require(int status) {
  if (status != 0) throw std::runtime_error(fmt::format("XGBoost: {}", XGBGetLastError()));
}

struct FreeMatrix {
  void operator()(void* handle) const { XGDMatrixFree(handle); }
};
struct FreeBooster {
  void operator()(void* handle) const { XGBoosterFree(handle); }
};
using DMatrix = std::unique_ptr<void, FreeMatrix>;
using Booster = std::unique_ptr<void, FreeBooster>;

DMatrix make_matrix(const TrainingRows& rows) {
  DMatrixHandle handle = nullptr;
  const float missing = std::numeric_limits<float>::quiet_NaN();
  require(XGDMatrixCreateFromMat_omp(rows.features.data(), rows.num_rows, rows.num_columns, missing,
                                     &handle, 1));
  DMatrix matrix(handle);
  require(XGDMatrixSetFloatInfo(handle, "label", rows.outcomes.data(), rows.num_rows));
  require(XGDMatrixSetFloatInfo(handle, "weight", rows.weights.data(), rows.num_rows));
  return matrix;
}

double mean_outcome(const TrainingRows& rows) {
  double ones = 0;
  double total = 0;
  for (std::size_t i = 0; i < rows.num_rows; ++i) {
    ones += rows.weights[i] * rows.outcomes[i];
    total += rows.weights[i];
  }
  return std::clamp(ones / total, 1e-6, 1 - 1e-6);
}

Booster train(const DMatrix& matrix, const BoostingOptions& options, double mean) {
  DMatrixHandle data = matrix.get();
  BoosterHandle handle = nullptr;
  require(XGBoosterCreate(&data, 1, &handle));
  Booster booster(handle);
  const auto set = [&](const char* name, const std::string& value) {
    require(XGBoosterSetParam(handle, name, value.c_str()));
  };
  set("objective", "binary:logistic");
  set("tree_method", "hist");
  // XGBoost uses one thread, for two reasons. With several threads the order of summation varies,
  // which changes the trees. And OpenMP's worker threads spin while they wait between loops: on a
  // loaded machine this waiting took 80 times as long as the work.
  set("nthread", "1");
  set("verbosity", "0");
  set("base_score", fmt::format("{:.9g}", mean));
  set("max_depth", std::to_string(options.depth));
  set("eta", fmt::format("{:.9g}", options.learning_rate));
  for (int round = 0; round < options.rounds; ++round) {
    check_interrupt();
    require(XGBoosterUpdateOneIter(handle, round, data));
  }
  return booster;
}

// Returns the distinct training values of each column, in ascending order.
std::vector<std::vector<float>> sorted_values(const TrainingRows& rows) {
  std::vector<std::vector<float>> values(rows.num_columns);
  for (int c = 0; c < rows.num_columns; ++c) {
    for (std::size_t i = 0; i < rows.num_rows; ++i)
      values[c].push_back(rows.features[i * rows.num_columns + c]);
    std::ranges::sort(values[c]);
    values[c].erase(std::unique(values[c].begin(), values[c].end()), values[c].end());
  }
  return values;
}

double midway(const std::vector<float>& values, float threshold) {
  const auto above = std::ranges::lower_bound(values, threshold);
  if (above == values.begin() || above == values.end()) return threshold;
  return (static_cast<double>(*(above - 1)) + *above) / 2;
}

// Reads one tree of XGBoost's JSON model; nodes are renumbered in depth-first order.
class TreeReader {
 public:
  TreeReader(const Json& tree, const std::vector<std::vector<float>>& values)
      : left_(tree.at("left_children")),
        right_(tree.at("right_children")),
        features_(tree.at("split_indices")),
        // conditions_ has the thresholds of inner nodes and the values of leaves, as f32 numbers
        // printed exactly.
        conditions_(tree.at("split_conditions")),
        values_(values) {}

  Tree read() {
    add(0);
    return std::move(tree_);
  }

 private:
  int add(int node) {
    const int at = static_cast<int>(tree_.size());
    const auto condition = conditions_.at(node).get<float>();
    tree_.push_back({.value = condition});
    const int left = left_.at(node);
    if (left < 0) return at;
    const int feature = features_.at(node);
    tree_[at].feature = feature;
    tree_[at].value = midway(values_.at(feature), condition);
    const int new_left = add(left);
    const int new_right = add(right_.at(node));
    tree_[at].left = new_left;
    tree_[at].right = new_right;
    return at;
  }

  const Json &left_, &right_, &features_, &conditions_;
  const std::vector<std::vector<float>>& values_;
  Tree tree_;
};

std::vector<Tree> read_trees(const Booster& booster, const TrainingRows& rows) {
  bst_ulong length = 0;
  const char* text = nullptr;
  require(XGBoosterSaveModelToBuffer(booster.get(), R"({"format": "json"})", &length, &text));
  const Json document = Json::parse(text, text + length);
  const auto values = sorted_values(rows);
  std::vector<Tree> trees;
  for (const Json& tree : document.at("learner").at("gradient_booster").at("model").at("trees"))
    trees.push_back(TreeReader(tree, values).read());
  return trees;
}

}  // namespace

Boosted boost(const TrainingRows& rows, const BoostingOptions& options) {
  const double mean = mean_outcome(rows);
  const DMatrix matrix = make_matrix(rows);
  return {read_trees(train(matrix, options, mean), rows), std::log(mean / (1 - mean))};
}

Reference boost_with_predictions(const TrainingRows& rows, const BoostingOptions& options) {
  const double mean = mean_outcome(rows);
  const DMatrix matrix = make_matrix(rows);
  const Booster booster = train(matrix, options, mean);
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* predicted = nullptr;
  // With "type": 1, XGBoost predicts log-odds.
  require(XGBoosterPredictFromDMatrix(
      booster.get(), matrix.get(),
      R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0,
          "strict_shape": false})",
      &shape, &dimensions, &predicted));
  return {{read_trees(booster, rows), std::log(mean / (1 - mean))},
          {predicted, predicted + rows.num_rows}};
}

}  // namespace otss::internal
