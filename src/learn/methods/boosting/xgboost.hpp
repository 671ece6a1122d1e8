// Trains boosted trees with XGBoost. The result is trees of our own type, so XGBoost is not needed
// to predict. Every threshold is moved to the middle between the two nearest training values. So a
// feature takes the same branch even if it is rounded differently when the model is used.
#pragma once

#include <vector>

#include "model/maps/tree_scorer.hpp"

namespace otss::internal {

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
  std::vector<Tree> trees;  // one per round; the first n trees are the model after n rounds
  double intercept = 0;     // log-odds of the mean outcome; predictions add the trees' values to it
};

// Trains the trees on one thread, so that the result is deterministic.
Boosted boost(const TrainingRows& rows, const BoostingOptions& options);

// Holds the trees, and the log-odds that XGBoost itself predicts for each row. Only tests use this
// struct.
struct Reference {
  Boosted boosted;
  std::vector<float> predictions;
};
Reference boost_with_predictions(const TrainingRows& rows, const BoostingOptions& options);

}  // namespace otss::internal
