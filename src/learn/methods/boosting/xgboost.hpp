// Boosted trees by XGBoost, which is used for training only: the result is plain trees. Every
// threshold is moved midway between the two nearest training values, so that a feature rounded
// differently in serving takes the same branch.
#pragma once

#include <vector>

#include "model/maps/tree_scorer.hpp"

namespace otss {

struct TrainingRows {
  std::size_t num_rows = 0;
  int num_columns = 0;
  std::vector<float> features;  // row by row
  std::vector<float> outcomes;  // 0 or 1
  std::vector<float> weights;
};

struct BoostingOptions {
  int depth = 3;
  double learning_rate = 0.1;
  int rounds = 100;
};

struct Boosted {
  std::vector<Tree> trees;  // one per round: the model of fewer rounds is a prefix
  double intercept = 0;     // log-odds of the mean outcome; the trees are added to it
};

// Deterministic: it uses one thread.
Boosted boost(const TrainingRows& rows, const BoostingOptions& options);

// The trees, and XGBoost's own prediction (log-odds) of each row, for tests.
struct Reference {
  Boosted boosted;
  std::vector<float> predictions;
};
Reference boost_with_predictions(const TrainingRows& rows, const BoostingOptions& options);

}  // namespace otss
