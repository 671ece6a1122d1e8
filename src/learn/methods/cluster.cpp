#include "learn/methods/cluster.hpp"

#include "base/threads.hpp"
#include "learn/methods/routing/expert_counts.hpp"
#include "learn/methods/routing/k_means.hpp"
#include "learn/probabilities/routed_fit.hpp"
#include "model/maps/gates.hpp"

namespace otss::internal {
namespace {

const std::vector<int> kUsualCounts = {2, 3, 4, 5, 6, 8};

// Strengths of the prior on the differences between the clusters' weights and their common centre,
// which is estimated too. The largest strength shrinks these differences to almost nothing; the
// smallest hardly shrinks them.
constexpr double kPenalties[] = {4, 16, 64, 256, 1024};

struct ClusterSetting {
  int clusters;
  double penalty;
};

struct Clusters {
  CenterGate gate;
  Routing routing;
};

class Cluster final : public ComparisonMethod {
 public:
  explicit Cluster(const FitOptions& options)
      : experts_(options.experts),
        starts_(options.restarts.is_auto() ? 10 : options.restarts.value) {}

  std::vector<NamedValues> settings(const Problem& problem) const override {
    std::vector<NamedValues> result;
    for (const ClusterSetting& s : grid(problem))
      result.push_back({{"clusters", s.clusters}, {"penalty", s.penalty}});
    return result;
  }

  std::vector<StandardisedModel> fit_all(const MethodInput& input) const override {
    const std::vector<int> all = counts(input.log);
    constexpr std::size_t kSettings = std::size(kPenalties);  // with the same number of clusters
    std::vector<StandardisedModel> models(all.size() * kSettings);
    parallel_for(all.size(), input.num_threads, [&](std::size_t c) {
      const Clusters clusters = find(input, all[c]);
      parallel_for(kSettings, input.num_threads, [&](std::size_t s) {
        models[c * kSettings + s] = fit_experts(input, clusters, kPenalties[s]);
      });
    });
    return models;
  }

  StandardisedModel fit_one(const MethodInput& input, std::size_t setting,
                            const StandardisedModel&) const override {
    const ClusterSetting chosen = grid(input.log)[setting];
    return fit_experts(input, find(input, chosen.clusters), chosen.penalty);
  }

 private:
  std::vector<int> counts(const Problem& problem) const {
    return expert_counts(problem, experts_, kUsualCounts, Method::kCluster);
  }

  std::vector<ClusterSetting> grid(const Problem& problem) const {
    std::vector<ClusterSetting> result;
    for (const int count : counts(problem)) {
      for (const double penalty : kPenalties) result.push_back({count, penalty});
    }
    return result;
  }

  Clusters find(const MethodInput& input, int count) const {
    KMeans found =
        k_means(input.problem, count,
                {.starts = starts_, .seed = input.seed, .num_threads = input.num_threads});
    const CenterGate gate(input.problem.num_contexts, std::move(found.centers), found.num_clusters);
    return {gate, routed_by(input.problem, gate)};
  }

  static StandardisedModel fit_experts(const MethodInput& input, const Clusters& clusters,
                                       double strength) {
    const MixtureLayout layout = input.problem.layout(clusters.gate.num_experts());
    Penalty penalty = input.pooled.penalty;
    penalty.expert = strength;
    const auto start = pooled_experts(layout, input.pooled.fit.layout, input.pooled.fit.theta);
    const RoutedFit fit = fit_routed(input.problem, clusters.routing, penalty, layout, start,
                                     {.num_threads = input.num_threads});
    return with_gate(mixture_model(layout, fit.theta), clusters.gate);
  }

  AutoCount experts_;
  int starts_;
};

}  // namespace

std::unique_ptr<ComparisonMethod> make_cluster(const FitOptions& options) {
  return std::make_unique<Cluster>(options);
}

}  // namespace otss::internal
