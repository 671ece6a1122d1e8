// Boosted trees by XGBoost. It trains and nothing else: the trees come back as plain ones, with
// every threshold midway between the training values around it, so that a feature which is rounded
// otherwise when serving cannot take another branch.
#pragma once

#include <vector>

#include "model/maps/tree_scorer.hpp"

namespace otss {

struct TrainingRows {
  std::size_t num_rows = 0;
  int num_columns = 0;
  std::vector<float> features;  // row after row
  std::vector<float> outcomes;  // 0 or 1
  std::vector<float> weights;
};

struct BoostingOptions {
  int depth = 3;
  double learning_rate = 0.1;
  int rounds = 100;
};

struct Boosted {
  std::vector<Tree> trees;  // one per round: fewer rounds are a prefix
  double intercept = 0;     // log-odds of the mean outcome, which the trees add to
};

// The same trees on every run and for any number of threads: it takes one.
Boosted boost(const TrainingRows& rows, const BoostingOptions& options);

// The trees as XGBoost has them and its own prediction (log-odds) of each row, to test against.
struct Reference {
  Boosted boosted;
  std::vector<float> predictions;
};
Reference boost_with_predictions(const TrainingRows& rows, const BoostingOptions& options);

}  // namespace otss
