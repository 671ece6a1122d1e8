// Intervals of a policy's value against a truth that is known: one model, many fresh logs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "lab/worlds/world.hpp"
#include "otss/decide/decider.hpp"
#include "otss/decide/policy_value.hpp"
#include "otss/learn/fit.hpp"

namespace otss {
namespace {

using namespace internal;

constexpr int kLogs = 400;
constexpr double kLevel = 0.9;
// 0.86 to 0.94: the share that should be 0.9, with its binomial error over 400 logs.
const double kTolerance = 2.7 * std::sqrt(kLevel * (1 - kLevel) / kLogs);

double logistic(double t) { return 1 / (1 + std::exp(-t)); }

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Panel A's world with a model fitted to one of its logs: the policy to be valued.
class Trial {
 public:
  Trial() : simulation_(overlap_world(kSpec, world_)), fitted_(fit_once()) {
    decider_ = std::make_unique<Decider>(fitted_.scorer(), simulation_.library);
    truth_ = true_value();
  }

  double truth() const { return truth_; }

  // `taste` 0 logs uniformly; above, good decisions are logged more often than bad ones, and below
  // it is the other way round.
  PolicyLog draw_log(std::size_t rows, double taste, Rng rng) const {
    const std::vector<double> x = draw_contexts(rows, rng);
    const std::vector<double> encoded = encode(x);
    const std::vector<Decision> chosen = decider_->decide({rows, encoded});
    PolicyLog log;
    for (std::size_t i = 0; i < rows; ++i) {
      const auto own = std::span(x).subspan(i * kColumns, kColumns);
      const std::vector<double> w = true_weights(own);
      const LoggedDecision logged = draw_decision(w, taste, rng);
      const auto prediction = [&](std::size_t decision) {
        const auto context = std::span(encoded).subspan(i * kColumns, kColumns);
        return logistic(fitted_.predictor(context, factors(decision)));
      };
      log.outcomes.push_back(rng.uniform() < probability(own, w, logged.decision) ? 1 : 0);
      log.propensities.push_back(logged.propensity);
      log.agrees.push_back(logged.decision == chosen[i].index ? 1 : 0);
      log.predicted_logged.push_back(prediction(logged.decision));
      log.predicted_chosen.push_back(prediction(chosen[i].index));
    }
    return log;
  }

 private:
  static constexpr std::uint64_t kSeed = 7005;
  static constexpr std::size_t kColumns = 10;
  inline static const OverlapSpec kSpec{.n = 2000, .seed = kSeed};

  static Fitted fit_once() {
    return fit(training_log(simulate_overlap(kSpec)), {.estimator = Estimator::kMap, .experts = 2});
  }

  std::vector<double> draw_contexts(std::size_t rows, Rng& rng) const {
    std::vector<double> x(rows * kColumns);
    for (std::size_t i = 0; i < rows; ++i)
      world_.draw_context(rng, std::span(x).subspan(i * kColumns, kColumns));
    return x;
  }

  std::vector<double> encode(const std::vector<double>& x) const {
    std::vector<double> encoded(x.size());
    for (std::size_t i = 0; i < x.size(); i += kColumns) {
      const std::vector<RawValue> raw(&x[i], &x[i] + kColumns);
      fitted_.encoder().encode(raw, std::span(encoded).subspan(i, kColumns));
    }
    return encoded;
  }

  std::vector<double> true_weights(std::span<const double> x) const {
    std::vector<double> alpha(simulation_.num_experts);
    world_.shares(x, alpha);
    std::vector<double> w(simulation_.num_factors, 0.0);
    for (int k = 0; k < simulation_.num_experts; ++k) {
      for (int j = 0; j < simulation_.num_factors; ++j)
        w[j] += alpha[k] * simulation_.experts[k * simulation_.num_factors + j];
    }
    return w;
  }

  std::span<const double> factors(std::size_t decision) const {
    return simulation_.library.factors_of(decision);
  }

  double probability(std::span<const double> x, std::span<const double> w,
                     std::size_t decision) const {
    return logistic(product(world_.baseline, x) + product(w, factors(decision)));
  }

  LoggedDecision draw_decision(std::span<const double> w, double taste, Rng& rng) const {
    constexpr double kExplored = 0.1;
    const std::size_t size = simulation_.library.size();
    std::vector<double> p(size);
    for (std::size_t d = 0; d < size; ++d) p[d] = std::exp(taste * product(w, factors(d)));
    const double total = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& entry : p)
      entry = (1 - kExplored) * entry / total + kExplored / static_cast<double>(size);
    const double u = rng.uniform();
    std::size_t d = 0;
    for (double below = p[0]; below <= u && d + 1 < size; below += p[++d]) {
    }
    return {d, p[d]};
  }

  // Over so many contexts that its own error is a hundredth of an interval's width.
  double true_value() const {
    constexpr std::size_t kContexts = 100'000;
    Rng rng(kSeed, kLogs);
    const std::vector<double> x = draw_contexts(kContexts, rng);
    const std::vector<Decision> chosen = decider_->decide({kContexts, encode(x)});
    double sum = 0;
    for (std::size_t i = 0; i < kContexts; ++i) {
      const auto own = std::span(x).subspan(i * kColumns, kColumns);
      sum += probability(own, true_weights(own), chosen[i].index);
    }
    return sum / kContexts;
  }

  World world_;
  Simulation simulation_;
  Fitted fitted_;
  std::unique_ptr<Decider> decider_;
  double truth_ = 0;
};

// Share of logs whose doubly robust interval holds the truth.
double coverage(std::size_t rows, double taste) {
  static const Trial trial;
  std::vector<PolicyValue> values(kLogs);
  parallel_for(kLogs, hardware_threads(), [&](std::size_t i) {
    values[i] = policy_value(trial.draw_log(rows, taste, Rng(7000, i)), kLevel);
  });
  const auto covers = [&](const ValueEstimate& estimate) {
    return estimate.lo <= trial.truth() && trial.truth() <= estimate.hi;
  };
  double effective_rows = 0;
  for (const PolicyValue& value : values) effective_rows += value.effective_sample_size / kLogs;
  const auto share = [&](ValueEstimate PolicyValue::*estimate) {
    return std::count_if(values.begin(), values.end(),
                         [&](const PolicyValue& value) { return covers(value.*estimate); }) /
           static_cast<double>(kLogs);
  };
  std::printf(
      "rows %zu, taste %+.1f, effective rows %.0f: covered by doubly robust %.3f, ips %.3f, "
      "snips %.3f, direct %.3f\n",
      rows, taste, effective_rows, share(&PolicyValue::doubly_robust), share(&PolicyValue::ips),
      share(&PolicyValue::snips), share(&PolicyValue::direct));
  return share(&PolicyValue::doubly_robust);
}

TEST(PolicyCoverage, IsNominalOnUniformLogs) { EXPECT_NEAR(coverage(1000, 0), kLevel, kTolerance); }

TEST(PolicyCoverage, IsNominalOnLogsOfADecentPolicy) {
  EXPECT_NEAR(coverage(1000, 0.7), kLevel, kTolerance);
}

TEST(PolicyCoverage, IsNominalWhereThePolicysDecisionsAreRare) {
  EXPECT_NEAR(coverage(2000, -0.4), kLevel, kTolerance);
}

}  // namespace
}  // namespace otss
