#include "learn/deploy/averaged_model.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "model/maps/gates.hpp"

namespace otss::internal {
namespace {

using Models = std::vector<WeightedModel>;

void add_weighted(double scale, std::span<const double> values, std::vector<double>& sum) {
  sum.resize(values.size(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) sum[i] += scale * values[i];
}

void append_to(std::vector<double>& all, std::span<const double> values) {
  all.insert(all.end(), values.begin(), values.end());
}

// Returns the models' scorers of one type.
template <class ScorerType>
std::vector<std::shared_ptr<const ScorerType>> scorers_of(const Models& models) {
  std::vector<std::shared_ptr<const ScorerType>> result;
  for (const WeightedModel& one : models)
    result.push_back(std::get<std::shared_ptr<const ScorerType>>(one.model.scorer));
  return result;
}

// This visitor returns a gate as the gate of a member of an average.
struct AsMember {
  MemberGate operator()(const LinearGate& gate) const { return gate; }
  MemberGate operator()(const NetworkGate& gate) const { return gate; }
  MemberGate operator()(const OneHotGate& gate) const { return gate; }
  MemberGate operator()(const CenterGate& gate) const { return gate; }
  MemberGate operator()(const QuadraticGate&) const { refuse(); }
  MemberGate operator()(const AverageGate&) const { refuse(); }
  [[noreturn]] static void refuse() {
    throw std::logic_error("averaged_model: this kind of gate cannot be averaged");
  }
};

AnyScorer average_of(const Models& models, const std::shared_ptr<const SoftMixture>& first) {
  std::vector<AverageGate::Member> members;
  std::vector<double> experts;
  const auto mixtures = scorers_of<SoftMixture>(models);
  for (std::size_t m = 0; m < mixtures.size(); ++m) {
    members.push_back({models[m].weight, std::visit(AsMember{}, mixtures[m]->gate())});
    append_to(experts, mixtures[m]->experts());
  }
  return std::make_shared<SoftMixture>(AverageGate(std::move(members)), first->num_factors(),
                                       std::move(experts));
}

AnyScorer average_of(const Models& models, const std::shared_ptr<const LinearWeights>& first) {
  std::vector<double> slopes, intercepts;
  const auto maps = scorers_of<LinearWeights>(models);
  for (std::size_t m = 0; m < maps.size(); ++m) {
    add_weighted(models[m].weight, maps[m]->slopes(), slopes);
    add_weighted(models[m].weight, maps[m]->intercepts(), intercepts);
  }
  return std::make_shared<LinearWeights>(first->num_contexts(), std::move(slopes),
                                         std::move(intercepts));
}

AnyScorer average_of(const Models& models, const std::shared_ptr<const NetworkWeights>& first) {
  const auto maps = scorers_of<NetworkWeights>(models);
  Network all{first->num_contexts(), first->num_factors(), {}, {}, {}, {}};
  for (std::size_t m = 0; m < maps.size(); ++m) {
    const Network& one = maps[m]->network();
    append_to(all.hidden_slopes, one.hidden_slopes);
    append_to(all.hidden_intercepts, one.hidden_intercepts);
    add_weighted(models[m].weight, one.output_intercepts, all.output_intercepts);
  }
  for (int output = 0; output < all.num_outputs; ++output) {
    for (std::size_t m = 0; m < maps.size(); ++m) {
      const Network& one = maps[m]->network();
      const auto hidden = static_cast<std::size_t>(one.num_hidden());
      for (std::size_t h = 0; h < hidden; ++h)
        all.output_slopes.push_back(models[m].weight * one.output_slopes[output * hidden + h]);
    }
  }
  return std::make_shared<NetworkWeights>(std::move(all));
}

AnyScorer average_of(const Models& models, const std::shared_ptr<const TreeScorer>& first) {
  std::vector<Tree> trees;
  const auto scorers = scorers_of<TreeScorer>(models);
  for (std::size_t m = 0; m < scorers.size(); ++m) {
    for (Tree tree : scorers[m]->trees()) {
      for (TreeNode& node : tree) {
        if (node.is_leaf()) node.value *= models[m].weight;
      }
      trees.push_back(std::move(tree));
    }
  }
  return std::make_shared<TreeScorer>(first->num_contexts(), first->num_factors(),
                                      std::move(trees));
}

// Returns the average of the baselines. An expert's intercept gets what its model's intercept
// differs from the average, if the models mix probabilities.
Baseline average_baseline(const Models& models) {
  Baseline average;
  for (const WeightedModel& one : models) {
    average.intercept += one.weight * one.model.baseline.intercept;
    add_weighted(one.weight, one.model.baseline.slopes, average.slopes);
  }
  for (const WeightedModel& one : models) {
    const double shift =
        one.model.mixes_probabilities ? one.model.baseline.intercept - average.intercept : 0;
    for (const double intercept : one.model.baseline.expert_intercepts)
      average.expert_intercepts.push_back(intercept + shift);
  }
  return average;
}

}  // namespace

StandardisedModel averaged_model(std::vector<WeightedModel> models) {
  assert(!models.empty());
  if (models.size() == 1) return models.front().model;
  double total = 0;
  for (const WeightedModel& one : models) total += one.weight;
  for (WeightedModel& one : models) one.weight /= total;
  const StandardisedModel& first = models.front().model;
  return {std::visit([&](const auto& scorer) { return average_of(models, scorer); }, first.scorer),
          average_baseline(models), first.mixes_probabilities};
}

StandardisedModel with_form_of(const StandardisedModel& form, const StandardisedModel& pooled) {
  const SoftMixture& alone = mixture_of(pooled);
  const std::vector<double> weights(alone.experts().begin(), alone.experts().end());
  const int p = alone.num_contexts();
  StandardisedModel result = pooled;
  if (std::holds_alternative<std::shared_ptr<const LinearWeights>>(form.scorer)) {
    result.scorer =
        std::make_shared<LinearWeights>(p, std::vector<double>(p * weights.size(), 0.0), weights);
  } else if (std::holds_alternative<std::shared_ptr<const NetworkWeights>>(form.scorer)) {
    result.scorer = std::make_shared<NetworkWeights>(
        Network{p, static_cast<int>(weights.size()), {}, {}, {}, weights});
  } else {
    return result;
  }
  // A model without experts has all of its intercept in the baseline.
  result.baseline.intercept += result.baseline.expert_intercepts.front();
  result.baseline.expert_intercepts.clear();
  return result;
}

}  // namespace otss::internal
