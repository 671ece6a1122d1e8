#include "lab/worlds/random_world.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/worlds/score_gate.hpp"
#include "lab/worlds/world.hpp"

namespace otss::internal {
namespace {

constexpr WorldTruth kTruths[] = {
    WorldTruth::kMixture,       WorldTruth::kLinear,     WorldTruth::kRegions, WorldTruth::kMixture,
    WorldTruth::kLowRank,       WorldTruth::kSmoothGate, WorldTruth::kPooled,  WorldTruth::kMixture,
    WorldTruth::kQuadraticGate, WorldTruth::kOneExpert};
constexpr std::size_t kRandomTestRows = 2000;

double log_uniform(Rng& rng, double lo, double hi) { return lo * std::pow(hi / lo, rng.uniform()); }

int whole_between(Rng& rng, int lo, int hi) {
  return lo + static_cast<int>(rng.below(static_cast<std::size_t>(hi - lo) + 1));
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Rows of slopes: row r is a sparse unit vector times `norm`.
std::vector<double> sparse_rows(const RandomWorldSpec& spec, int rows, double norm, Rng& rng) {
  std::vector<double> all;
  for (int r = 0; r < rows; ++r) {
    for (const double slope : random_sparse_unit(rng, spec.contexts, spec.relevant))
      all.push_back(norm * slope);
  }
  return all;
}

// Sets the experts: the mean trade-off plus `spec.spread` times a random unit vector each.
void draw_random_experts(const RandomWorldSpec& spec, Simulation& s, Rng& rng) {
  const std::vector<double> common = random_unit(rng, spec.factors, spec.common);
  const bool one = spec.truth == WorldTruth::kLinear || spec.truth == WorldTruth::kLowRank ||
                   spec.truth == WorldTruth::kPooled;
  s.num_experts = one ? 1 : spec.experts;
  for (int k = 0; k < s.num_experts; ++k) {
    const std::vector<double> own = random_unit(rng, spec.factors, one ? 0 : spec.spread);
    for (int j = 0; j < spec.factors; ++j) s.experts.push_back(common[j] + own[j]);
  }
}

using SharesOf = std::function<void(std::span<const double> x, std::span<double> alpha)>;

SharesOf gate_shares(const RandomWorldSpec& spec, std::uint64_t seed, Rng& rng) {
  ScoreGate gate(spec.contexts, sparse_rows(spec, spec.experts, 1, rng));
  if (spec.truth == WorldTruth::kSmoothGate) gate.bend(rng.uniform(0.5, 1.5), rng);
  if (spec.truth == WorldTruth::kOneExpert)
    return [gate](std::span<const double> x, std::span<double> alpha) {
      gate.largest_alone(x, alpha);
    };
  Rng calibration = world_rng(seed, WorldStream::kCalibration);
  gate.soften_to(spec.top, calibration);
  if (spec.truth == WorldTruth::kQuadraticGate)
    return [gate](std::span<const double> x, std::span<double> alpha) {
      std::vector<double> squares;
      for (const double entry : x) squares.push_back((entry * entry - 1) / std::sqrt(2.0));
      gate.shares(squares, alpha);
    };
  return [gate](std::span<const double> x, std::span<double> alpha) { gate.shares(x, alpha); };
}

// Splits one leaf of a tree: contexts whose column exceeds the cut move to a new leaf.
struct LeafSplit {
  std::size_t leaf;
  std::size_t column;
  double cut;
};

// Split number i makes leaf number i + 1, so the splits in their order lead a context to its leaf.
SharesOf region_shares(const RandomWorldSpec& spec, Rng& rng) {
  std::vector<LeafSplit> splits;
  for (int leaves = 1; leaves < spec.experts; ++leaves)
    splits.push_back({rng.below(leaves), rng.below(spec.relevant), rng.uniform(-0.8, 0.8)});
  return [splits](std::span<const double> x, std::span<double> alpha) {
    std::size_t leaf = 0;
    for (std::size_t i = 0; i < splits.size(); ++i) {
      if (splits[i].leaf == leaf && x[splits[i].column] > splits[i].cut) leaf = i + 1;
    }
    std::ranges::fill(alpha, 0.0);
    alpha[leaf] = 1;
  };
}

// Returns the slopes of w*(x), factors × contexts. The mean square of the slopes' part of w* is
// spread² if the context columns are independent.
std::vector<double> map_slopes(const RandomWorldSpec& spec, Rng& rng) {
  if (spec.truth == WorldTruth::kLinear)
    return sparse_rows(spec, spec.factors, spec.spread / std::sqrt(spec.factors), rng);
  const int rank = whole_between(rng, 1, 2);
  const std::vector<double> directions = sparse_rows(spec, rank, 1, rng);
  std::vector<double> slopes(static_cast<std::size_t>(spec.factors) * spec.contexts, 0.0);
  for (int r = 0; r < rank; ++r) {
    const std::vector<double> change =
        random_unit(rng, spec.factors, spec.spread / std::sqrt(rank));
    for (std::size_t i = 0; i < slopes.size(); ++i)
      slopes[i] += change[i / spec.contexts] * directions[r * spec.contexts + i % spec.contexts];
  }
  return slopes;
}

void draw_truth(const RandomWorldSpec& spec, std::uint64_t seed, Simulation& s, World& world,
                Rng& rng) {
  draw_random_experts(spec, s, rng);
  if (s.num_experts == 1) {
    world.shares = [](std::span<const double>, std::span<double> alpha) { alpha[0] = 1; };
    if (spec.truth == WorldTruth::kPooled) return;
    world.add_weights = [slopes = map_slopes(spec, rng)](std::span<const double> x,
                                                         std::span<double> w) {
      for (std::size_t j = 0; j < w.size(); ++j)
        w[j] += dot(x, std::span(slopes).subspan(j * x.size(), x.size()));
    };
    return;
  }
  world.shares =
      spec.truth == WorldTruth::kRegions ? region_shares(spec, rng) : gate_shares(spec, seed, rng);
}

void draw_logging(const RandomWorldSpec& spec, const Simulation& s, World& world, Rng& rng) {
  if (spec.logging == LoggingPolicy::kUniform) return;
  const bool follows = spec.logging == LoggingPolicy::kContextual;
  // A factor is uniform on [-1, 1] and so has the variance 1/3.
  const double norm = spec.logging_strength * std::sqrt(3.0);
  world.logging_scores = [library = s.library, fixed = random_unit(rng, spec.factors, norm),
                          moving = random_unit(rng, spec.factors, follows ? norm : 0),
                          direction = random_unit(rng, spec.contexts)](std::span<const double> x,
                                                                       std::span<double> scores) {
    const double along = dot(direction, x);
    for (std::size_t d = 0; d < scores.size(); ++d) {
      const std::span<const double> z = library.factors_of(d);
      scores[d] = dot(fixed, z) + along * dot(moving, z);
    }
  };
}

}  // namespace

RandomWorldSpec draw_world_spec(std::uint64_t seed) {
  Rng rng = world_rng(seed, WorldStream::kSpecification);
  RandomWorldSpec spec;
  spec.truth = kTruths[seed % std::size(kTruths)];
  spec.rows = static_cast<int>(log_uniform(rng, 500, 5000));
  spec.contexts = whole_between(rng, 2, 15);
  spec.relevant = whole_between(rng, 1, spec.contexts);
  spec.factors = whole_between(rng, 2, 10);
  spec.experts = whole_between(rng, 2, 5);
  spec.library = static_cast<std::size_t>(log_uniform(rng, 5, 100));
  spec.common = log_uniform(rng, 0.3, 2);
  spec.spread = log_uniform(rng, 0.5, 3);
  const double least_top = 1.0 / spec.experts;
  spec.top = least_top + (1 - least_top) * rng.uniform(0.2, 0.9);
  spec.baseline = rng.uniform();
  spec.correlation = rng.uniform(0, 0.6);
  spec.logging = static_cast<LoggingPolicy>(rng.below(3));
  spec.logging_strength = rng.uniform(0.5, 1.5);
  return spec;
}

Simulation simulate_random_world(std::uint64_t seed) {
  const RandomWorldSpec spec = draw_world_spec(seed);
  Rng rng = world_rng(seed, WorldStream::kWorld);
  Simulation s{.num_contexts = spec.contexts, .num_factors = spec.factors};
  World world;
  draw_truth(spec, seed, s, world, rng);
  s.library = random_library(rng, spec.library, spec.factors);
  world.baseline = random_unit(rng, spec.contexts, spec.baseline);
  world.draw_context = [rho = spec.correlation](Rng& draws, std::span<double> x) {
    const double common = draws.normal();
    for (double& entry : x) entry = std::sqrt(1 - rho) * draws.normal() + std::sqrt(rho) * common;
  };
  draw_logging(spec, s, world, rng);
  draw_rows(s, world, spec.rows, kRandomTestRows, seed);
  s.spec = {{"generator", "random"}, {"n", spec.rows}, {"truth", word(spec.truth)}, {"seed", seed}};
  return s;
}

}  // namespace otss::internal
