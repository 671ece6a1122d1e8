#include "learn/methods/gbm.hpp"

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"
#include "learn/methods/boosting/xgboost.hpp"

namespace otss::internal {
namespace {

// The options of one run of boosting. One run gives the models of several settings: each number of
// rounds after which the run can be stopped is a setting of its own.
struct Run {
  int depth;
  double learning_rate;
};
constexpr Run kRuns[] = {{2, 0.05}, {2, 0.2}, {4, 0.05}, {4, 0.2}};
// The points at which a run can be stopped. A run stops when the number of rounds times the
// learning rate reaches such a point.
constexpr double kStops[] = {1, 2, 4, 8, 16};

int rounds(const Run& run, double stop) {
  return static_cast<int>(std::lround(stop / run.learning_rate));
}

TrainingRows training_rows(const Problem& problem) {
  TrainingRows rows;
  rows.num_columns = problem.features->num_columns();
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    const float row = problem.rows[i];
    if (row == 0) continue;
    ++rows.num_rows;
    for (int c = 0; c < rows.num_columns; ++c) rows.features.push_back(problem.features->at(i, c));
    rows.outcomes.push_back(row > 0 ? 1.0F : 0.0F);
    rows.weights.push_back(std::abs(row));
  }
  return rows;
}

StandardisedModel to_model(const Problem& problem, const Boosted& boosted, int num_trees) {
  StandardisedModel model;
  model.scorer = std::make_shared<TreeScorer>(
      problem.num_contexts, problem.num_factors(),
      std::vector<Tree>(boosted.trees.begin(), boosted.trees.begin() + num_trees));
  model.baseline.intercept = boosted.intercept;
  model.baseline.slopes.assign(problem.num_contexts, 0.0);
  return model;
}

class Gbm final : public ComparisonMethod {
 public:
  std::vector<NamedValues> settings(const Problem&) const override {
    std::vector<NamedValues> settings;
    for (const Run& run : kRuns) {
      for (const double stop : kStops)
        settings.push_back({{"depth", run.depth},
                            {"learning_rate", run.learning_rate},
                            {"rounds", rounds(run, stop)}});
    }
    return settings;
  }

  std::vector<StandardisedModel> fit_all(const MethodInput& input) const override {
    const TrainingRows rows = training_rows(input.problem);
    std::vector<Boosted> boosted(std::size(kRuns));
    parallel_for(boosted.size(), input.num_threads, [&](std::size_t r) {
      boosted[r] = boost(rows, options(kRuns[r], std::ranges::max(kStops)));
    });
    std::vector<StandardisedModel> models;
    for (std::size_t r = 0; r < boosted.size(); ++r) {
      for (const double stop : kStops)
        models.push_back(to_model(input.problem, boosted[r], rounds(kRuns[r], stop)));
    }
    return models;
  }

  StandardisedModel fit_one(const MethodInput& input, std::size_t setting,
                            const StandardisedModel&) const override {
    const Run& run = kRuns[setting / std::size(kStops)];
    const BoostingOptions chosen = options(run, kStops[setting % std::size(kStops)]);
    return to_model(input.problem, boost(training_rows(input.problem), chosen), chosen.rounds);
  }

 private:
  static BoostingOptions options(const Run& run, double stop) {
    return {run.depth, run.learning_rate, rounds(run, stop)};
  }
};

}  // namespace

std::unique_ptr<ComparisonMethod> make_gbm(const FitOptions&) { return std::make_unique<Gbm>(); }

}  // namespace otss::internal
