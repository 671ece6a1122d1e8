#include "otss/decide/certify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "base/isa.hpp"
#include "base/normal_law.hpp"
#include "base/threads.hpp"
#include "decide/equal_rows.hpp"
#include "decide/open_decisions.hpp"
#include "decide/packed_decisions.hpp"
#include "model/uncertainty/confidence.hpp"
#include "model/uncertainty/draws_of_weights.hpp"
#include "otss/base/error.hpp"
#include "otss/model/uncertainty.hpp"
#include "otss/model/units.hpp"

namespace otss::internal {
namespace {

PackedDecisions packed(std::span<const double> factors, std::size_t num_factors) {
  std::vector<std::size_t> all(factors.size() / num_factors);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return {factors, num_factors, all};
}

// Returns the factors minus their mean over the feasible decisions. The mean is computed here as
// the sum of z / n. It may differ from ContextDecisions::mean_factors() in the last bit.
PackedDecisions packed_about_the_mean(const ContextDecisions& open) {
  const int num_factors = open.num_factors();
  std::vector<double> mean(num_factors, 0.0);
  for (std::size_t d = 0; d < open.size(); ++d) {
    for (int j = 0; j < num_factors; ++j)
      mean[j] += open.factors(d)[j] / static_cast<double>(open.size());
  }
  std::vector<double> factors;
  for (std::size_t d = 0; d < open.size(); ++d) {
    for (int j = 0; j < num_factors; ++j) factors.push_back(open.factors(d)[j] - mean[j]);
  }
  return packed(factors, num_factors);
}

// Returns, for each weight vector in w, the largest score of any decision.
std::vector<double> largest_scores(const PackedDecisions& decisions, std::span<const double> w) {
  const PackedView view = decisions.view();
  std::vector<double> largest(w.size() / view.num_factors);
  BestTwo found[kMaxContexts];
  for (std::size_t first = 0; first < largest.size(); first += kMaxContexts) {
    const std::size_t count = std::min(kMaxContexts, largest.size() - first);
    score_kernel(active_isa()).best_two(view, count, w.data() + first * view.num_factors, found);
    for (std::size_t i = 0; i < count; ++i) largest[first + i] = found[i].best;
  }
  return largest;
}

// Returns by how many standard deviations the chosen decision leads, and a negative number if it does
// not lead.
double lead_over(double ahead, double deviation) {
  if (!(ahead < 0)) return -1;
  return deviation > 0 ? -ahead / deviation : std::numeric_limits<double>::infinity();
}

// Returns the level at which max(0, quantile(sorted, level)) reaches `value`: 0 if it does so at
// every level, 1 if at none.
double level_of_quantile(std::span<const double> sorted, double value) {
  if (!(value > 0)) return 0;
  const auto above = std::ranges::lower_bound(sorted, value);
  if (above == sorted.end()) return 1;
  if (above == sorted.begin()) return 0;
  const double part = (value - above[-1]) / (above[0] - above[-1]);
  const double at = static_cast<double>(above - sorted.begin() - 1) + part;
  // This inverts quantile(), which puts the i-th of n values at the level (i + 1) / (n + 1).
  return (at + 1) / (static_cast<double>(sorted.size()) + 1);
}

// The decision with the best estimate is surely better than two or more rivals if it leads each by so
// many standard deviations of their difference, however many there are: docs/adr/0060.
double pair_lead(double level) { return normal_quantile(0.5 + 0.5 * level); }

// Returns the level at which `lead` is enough.
double level_of_pair_lead(double lead) { return lead > 0 ? 1 - 2 * normal_probability(-lead) : 0; }

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The weights of one context, and draws of the estimation error of these weights.
class DrawnWeights {
 public:
  DrawnWeights(const Fitted& model, std::span<const double> x, const UnitBelief* unit)
      : w_(model.num_factors()), departures_(model.departures(x, unit)) {
    model.weights(x, unit, w_);
    const std::size_t n = w_.size();
    std::vector<double> covariance(n * n, 0.0);
    for (std::size_t draw = 0; draw < departures_.size(); draw += n) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j)
          covariance[i * n + j] += departures_[draw + i] * departures_[draw + j];
      }
    }
    for (double& entry : covariance) entry /= static_cast<double>(num_draws());
    lower_ = cholesky(covariance, n);
  }

  const std::vector<double>& w() const { return w_; }
  // The drawn errors of the weights, draws × J.
  const std::vector<double>& departures() const { return departures_; }
  std::size_t num_draws() const { return departures_.size() / w_.size(); }

  std::vector<double> draws() const {
    std::vector<double> draws = departures_;
    for (std::size_t i = 0; i < draws.size(); ++i) draws[i] += w_[i % w_.size()];
    return draws;
  }

  // Returns the standard deviation of w'difference over the draws.
  double deviation(std::span<const double> difference) const {
    const std::size_t n = w_.size();
    double squares = 0;
    for (std::size_t k = 0; k < n; ++k) {
      double sum = 0;
      for (std::size_t j = k; j < n; ++j) sum += lower_[j * n + k] * difference[j];
      squares += sum * sum;
    }
    return std::sqrt(squares);
  }

 private:
  std::vector<double> w_;
  std::vector<double> departures_;
  std::vector<double> lower_;  // the matrix L, where L L' is the covariance of departures_
};

// For every feasible decision d, this struct has the score of d minus the score of the chosen
// decision c.
struct Challenge {
  std::vector<double> ahead;       // the difference w'(z_d - z_c)
  std::vector<double> deviations;  // the standard deviation of each entry of `ahead`
  // decisions × J: the differences (z_d - z_c) / deviation. A row is 0 if its deviation is 0.
  std::vector<double> differences;

  Challenge(const ContextDecisions& open, const DrawnWeights& weights,
            std::span<const double> chosen) {
    std::vector<double> difference(chosen.size());
    for (std::size_t d = 0; d < open.size(); ++d) {
      for (std::size_t j = 0; j < chosen.size(); ++j)
        difference[j] = open.factors(d)[j] - chosen[j];
      ahead.push_back(product(weights.w(), difference));
      deviations.push_back(weights.deviation(difference));
      for (const double entry : difference)
        differences.push_back(deviations.back() > 0 ? entry / deviations.back() : 0);
    }
  }

  // Returns, for each draw of the weights, by how many standard deviations the difference
  // w'(z_d - z_c) exceeds its estimate, for the d that exceeds it most. The result is not sorted.
  std::vector<double> statistics(const DrawnWeights& weights) const {
    return largest_scores(packed(differences, weights.w().size()), weights.departures());
  }
};

// Computes the certificates of one context. A Judge holds the feasible decisions of the context,
// the weights, and the best score under each draw of these weights.
class Judge {
 public:
  Judge(const ContextDecisions& open, const PackedDecisions& as_they_are,
        const DrawnWeights& weights, double level)
      : open_(open),
        weights_(weights),
        level_(level),
        draws_(weights.draws()),
        best_(largest_scores(as_they_are, draws_)) {}

  Certificate certificate(std::span<const double> chosen) const {
    const Challenge challenge(open_, weights_, chosen);
    std::vector<double> statistics = challenge.statistics(weights_);
    // With confidence level_, no true difference is more than `simultaneous` standard deviations above
    // its estimate.
    const double simultaneous = std::max(0.0, quantile(statistics, level_));
    const std::vector<std::size_t> rivals = rivals_of(chosen);
    const bool several = differ(rivals);
    // A lead of so many standard deviations certifies.
    const double enough = several ? pair_lead(level_) : simultaneous;
    // With this number of them, a decision that is not certified has a bound above 0.
    const double of_bound = std::max(simultaneous, enough);
    Certificate result;
    double lead = std::numeric_limits<double>::infinity();
    for (const std::size_t d : rivals) {
      lead = std::min(lead, lead_over(challenge.ahead[d], challenge.deviations[d]));
      result.regret_bound =
          std::max(result.regret_bound, challenge.ahead[d] + of_bound * challenge.deviations[d]);
    }
    result.certified = lead > enough;
    result.confidence = several ? level_of_pair_lead(lead) : level_of_quantile(statistics, lead);
    add_regret(chosen, result);
    return result;
  }

  double score_error(const PackedDecisions& about_the_mean) const {
    std::vector<double> errors = largest_scores(about_the_mean, weights_.departures());
    std::vector<double> mirrored = weights_.departures();
    for (double& entry : mirrored) entry = -entry;
    const std::vector<double> below = largest_scores(about_the_mean, mirrored);
    for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = std::max(errors[i], below[i]);
    return quantile(errors, level_);
  }

 private:
  // Returns the feasible decisions whose factors differ from those of the chosen decision.
  std::vector<std::size_t> rivals_of(std::span<const double> chosen) const {
    std::vector<std::size_t> rivals;
    for (std::size_t d = 0; d < open_.size(); ++d) {
      if (!std::ranges::equal(open_.factors(d), chosen)) rivals.push_back(d);
    }
    return rivals;
  }

  // Returns whether not all of these decisions have the same factors.
  bool differ(const std::vector<std::size_t>& rivals) const {
    return std::ranges::any_of(rivals, [&](std::size_t d) {
      return !std::ranges::equal(open_.factors(d), open_.factors(rivals.front()));
    });
  }

  // The chosen decision is scored by the same kernel as all other decisions. So equal decisions
  // have bitwise identical scores.
  void add_regret(std::span<const double> chosen, Certificate& result) const {
    const std::vector<double> own = largest_scores(packed(chosen, chosen.size()), draws_);
    std::size_t times_best = 0;
    double regret = 0;
    for (std::size_t draw = 0; draw < best_.size(); ++draw) {
      times_best += best_[draw] <= own[draw] ? 1 : 0;
      regret += best_[draw] - own[draw];
    }
    const auto draws = static_cast<double>(best_.size());
    result.probability_optimal = static_cast<double>(times_best) / draws;
    result.expected_regret = regret / draws;
  }

  const ContextDecisions& open_;
  const DrawnWeights& weights_;
  double level_;
  std::vector<double> draws_;
  std::vector<double> best_;
};

// The feasible decisions of a context, packed for the score kernel. All contexts that choose from
// one library share the same Prepared.
struct Prepared {
  ContextDecisions open;
  PackedDecisions as_they_are;
  std::optional<PackedDecisions> about_the_mean;

  Prepared(const FeasibleSet& feasible, const ContextDecisions& own, const CertifyOptions& options)
      : open(own), as_they_are(feasible.factors(), feasible.num_factors(), own.rows()) {
    if (options.score_error) about_the_mean = packed_about_the_mean(own);
  }
};

void certify_context(const FeasibleSet& feasible, const Prepared& prepared,
                     const DrawnWeights& weights, double level, std::span<const Decision> decisions,
                     std::span<Certificate> certificates) {
  const Judge judge(prepared.open, prepared.as_they_are, weights, level);
  const double score_error =
      prepared.about_the_mean ? judge.score_error(*prepared.about_the_mean) : 0;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    certificates[i] = judge.certificate(feasible.factors_of(decisions[i].index));
    certificates[i].score_error = score_error;
  }
}

// Divides the decisions into the decisions of each context.
std::vector<std::span<const Decision>> by_context(std::span<const Decision> decisions) {
  std::vector<std::span<const Decision>> result;
  for (std::size_t first = 0, end = 0; first < decisions.size(); first = end) {
    while (end < decisions.size() && decisions[end].row == decisions[first].row) ++end;
    result.push_back(decisions.subspan(first, end - first));
  }
  return result;
}

bool chooses_the_same(std::span<const Decision> a, std::span<const Decision> b) {
  return std::ranges::equal(a, b, {}, &Decision::index, &Decision::index);
}

// Calls `body` in parallel, once per context. The arguments of `body` are the decisions of the
// context and the certificates of these decisions. Contexts with the same entry in `equal_row` and
// the same decisions have the same certificates: `body` computes them once, and they are copied.
std::vector<Certificate> for_each_context(
    std::span<const Decision> decisions, const std::vector<std::size_t>& equal_row,
    const CertifyOptions& options,
    const std::function<void(std::span<const Decision>, std::span<Certificate>)>& body) {
  require_confidence(options.level);
  const std::vector<std::span<const Decision>> contexts = by_context(decisions);
  std::vector<Certificate> certificates(decisions.size());
  const auto certificates_of = [&](std::span<const Decision> own) {
    return std::span(certificates).subspan(own.data() - decisions.data(), own.size());
  };
  std::unordered_map<std::size_t, std::span<const Decision>> of_row;
  std::vector<std::span<const Decision>> distinct;
  for (const auto own : contexts) {
    const auto first = of_row.try_emplace(equal_row[own.front().row], own).first->second;
    if (first.data() == own.data() || !chooses_the_same(first, own)) distinct.push_back(own);
  }
  parallel_for(distinct.size(), options.num_threads,
               [&](std::size_t c) { body(distinct[c], certificates_of(distinct[c])); });
  for (const auto own : contexts) {
    const auto first = of_row.at(equal_row[own.front().row]);
    if (chooses_the_same(first, own))
      std::ranges::copy(certificates_of(first), certificates_of(own).begin());
  }
  return certificates;
}

// Returns, for each context, the first row with an equal context. If contexts have different
// feasible decisions, or units, no two contexts count as equal, so each context gets its own row.
std::vector<std::size_t> equal_contexts(const Contexts& contexts, std::size_t num_rows,
                                        bool same_decisions) {
  if (same_decisions && contexts.units.empty()) return first_equal_rows(contexts.x, num_rows);
  std::vector<std::size_t> own(num_rows);
  std::iota(own.begin(), own.end(), std::size_t{0});
  return own;
}

// Certifies nothing if the log does not determine the weights. A certified decision has no regret.
void settle(std::span<Certificate> certificates, bool determined) {
  for (Certificate& certificate : certificates) {
    if (!determined) {
      certificate.certified = false;
      certificate.confidence = 0;
    } else if (certificate.certified) {
      certificate.regret_bound = 0;
    }
  }
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::vector<Certificate> certify(const Fitted& model, const Contexts& contexts,
                                 std::span<const Decision> decisions, const FeasibleSet& feasible,
                                 const CertifyOptions& options) {
  model.weight_map();   // throws an Error if the model has no weights
  model.uncertainty();  // throws an Error if the error of the weights is not known
  const std::vector<ContextDecisions> open = open_decisions(feasible, contexts);
  std::optional<Prepared> shared;
  if (feasible.is_shared() && !open.empty()) shared.emplace(feasible, open.front(), options);
  const std::vector<std::size_t> equal =
      equal_contexts(contexts, open.size(), feasible.is_shared());
  const bool determined = model.knows_differences();
  return for_each_context(decisions, equal, options, [&](auto own, auto certificates) {
    const std::size_t row = own.front().row;
    const std::size_t p = model.num_contexts();
    const UnitBelief* unit = contexts.units.empty() ? nullptr : contexts.units[row];
    const DrawnWeights weights(model, contexts.x.subspan(row * p, p), unit);
    if (shared) {
      certify_context(feasible, *shared, weights, options.level, own, certificates);
    } else {
      certify_context(feasible, Prepared(feasible, open[row], options), weights, options.level, own,
                      certificates);
    }
    // What a unit's own rows say about its weights does not depend on the contexts.
    settle(certificates, determined || unit != nullptr);
  });
}

}  // namespace otss
