#include "otss/decide/certify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/isa.hpp"
#include "base/threads.hpp"
#include "decide/packed_decisions.hpp"
#include "model/draws_of_weights.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

constexpr std::size_t kDrawsTogether = 8;  // whose scores of all decisions are held at once
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The feasible decisions of a context: rows of a table, and the same packed.
struct Feasible {
  const Library& table;
  std::span<const std::size_t> rows;
  const PackedDecisions& packed;

  std::size_t position(std::size_t index) const {
    return std::ranges::lower_bound(rows, index) - rows.begin();
  }
};

// Weights of one context and draws of what they might be.
struct DrawnWeights {
  std::vector<double> w;
  std::vector<double> departures;  // draws × J
  std::vector<double> lower;       // L, L L' their covariance

  DrawnWeights(const WeightMap& map, const Uncertainty& uncertainty, std::span<const double> x)
      : w(map.num_factors()), departures(uncertainty.num_draws() * w.size()) {
    map.weights(x, w);
    uncertainty.departures(x, departures);
    const std::size_t n = w.size();
    std::vector<double> covariance(n * n, 0.0);
    for (std::size_t draw = 0; draw < departures.size(); draw += n) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j)
          covariance[i * n + j] += departures[draw + i] * departures[draw + j];
      }
    }
    for (double& entry : covariance) entry /= static_cast<double>(num_draws());
    lower = cholesky(covariance, n);
  }

  std::size_t num_draws() const { return departures.size() / w.size(); }

  // Standard deviation of w'(a - b).
  double deviation(std::span<const double> a, std::span<const double> b) const {
    double squares = 0;
    for (std::size_t k = 0; k < w.size(); ++k) {
      double sum = 0;
      for (std::size_t j = k; j < w.size(); ++j) sum += lower[j * w.size() + k] * (a[j] - b[j]);
      squares += sum * sum;
    }
    return std::sqrt(squares);
  }
};

double largest_lane(const double (&lanes)[kOctet]) {
  return *std::max_element(lanes, lanes + kOctet);
}

// One decision against all feasible ones, draw by draw.
class Challenge {
 public:
  Challenge(const Feasible& feasible, const DrawnWeights& weights, std::span<const double> scores,
            std::size_t chosen)
      : feasible_(feasible), scores_(scores), chosen_(chosen), inverse_(octets_for(scores.size())) {
    const auto own = feasible.table.row(feasible.rows[chosen]);
    for (std::size_t d = 0; d < scores.size(); ++d) {
      // A padded place has score -inf, and must stay there. Equal decisions cannot differ.
      double deviation = 1;
      if (d < feasible.rows.size()) {
        deviation = weights.deviation(own, feasible.table.row(feasible.rows[d]));
        deviations_.push_back(deviation);
      }
      inverse_[d / kOctet].lanes[d % kOctet] = deviation > 0 ? 1 / deviation : 0;
    }
  }

  // `departures`: what a draw adds to each score.
  void meet(const double* departures) {
    double statistic[kOctet];
    double score[kOctet];
    std::fill_n(statistic, kOctet, -kInfinity);
    std::fill_n(score, kOctet, -kInfinity);
    const double own = departures[chosen_];
    for (std::size_t unit = 0; unit < inverse_.size(); ++unit) {
      const double* add = departures + unit * kOctet;
      const double* before = scores_.data() + unit * kOctet;
      for (std::size_t lane = 0; lane < kOctet; ++lane) {
        const double t = (add[lane] - own) * inverse_[unit].lanes[lane];
        const double s = add[lane] + before[lane];
        statistic[lane] = statistic[lane] < t ? t : statistic[lane];
        score[lane] = score[lane] < s ? s : score[lane];
      }
    }
    statistics_.push_back(largest_lane(statistic));
    const double regret = largest_lane(score) - (own + scores_[chosen_]);
    optimal_ += regret <= 0 ? 1 : 0;
    regret_ += std::max(regret, 0.0);
  }

  Certificate certificate(double level) {
    const auto draws = static_cast<double>(statistics_.size());
    const double critical = std::max(0.0, quantile(statistics_, level));
    Certificate result;
    result.certified = true;
    result.probability_optimal = optimal_ / draws;
    result.expected_regret = regret_ / draws;
    const auto own = feasible_.table.row(feasible_.rows[chosen_]);
    for (std::size_t d = 0; d < deviations_.size(); ++d) {
      const auto other = feasible_.table.row(feasible_.rows[d]);
      if (std::ranges::equal(own, other)) continue;
      const double bound = scores_[d] - scores_[chosen_] + critical * deviations_[d];
      result.certified = result.certified && bound < 0;
      result.regret_bound = std::max(result.regret_bound, bound);
    }
    return result;
  }

 private:
  const Feasible& feasible_;
  std::span<const double> scores_;  // of all feasible decisions under the deployed weights, padded
  std::size_t chosen_;              // position among them
  OctetVector inverse_;             // 1 / deviation of each score difference
  std::vector<double> deviations_;
  std::vector<double> statistics_;  // per draw the largest (w_draw - w)'(z_d - z_c) / deviation
  double optimal_ = 0;
  double regret_ = 0;
};

// Largest distance of a score from the mean score.
double largest_error(std::span<const double> departures) {
  const double mean = std::accumulate(departures.begin(), departures.end(), 0.0) /
                      static_cast<double>(departures.size());
  const auto [least, most] = std::ranges::minmax(departures);
  return std::max(most - mean, mean - least);
}

void certify_context(const Feasible& feasible, const DrawnWeights& weights, double level,
                     std::span<const Decision> decisions, std::span<Certificate> certificates) {
  const PackedView view = feasible.packed.view();
  const std::size_t padded = feasible.packed.padded_size();
  const ScoreKernel& kernel = score_kernel(active_isa());
  OctetVector scores(view.num_units);
  kernel.scores(view, 1, weights.w.data(), scores.front().lanes);
  std::vector<Challenge> challenges;
  for (const Decision& decision : decisions) {
    challenges.emplace_back(feasible, weights, std::span(scores.front().lanes, padded),
                            feasible.position(decision.index));
  }
  OctetVector drawn(kDrawsTogether * view.num_units);
  std::vector<double> errors;
  for (std::size_t first = 0; first < weights.num_draws(); first += kDrawsTogether) {
    const std::size_t count = std::min(kDrawsTogether, weights.num_draws() - first);
    kernel.scores(view, count, weights.departures.data() + first * weights.w.size(),
                  drawn.front().lanes);
    for (std::size_t draw = 0; draw < count; ++draw) {
      const double* departures = drawn[draw * view.num_units].lanes;
      for (Challenge& challenge : challenges) challenge.meet(departures);
      errors.push_back(largest_error({departures, feasible.rows.size()}));
    }
  }
  const double score_error = quantile(errors, level);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    certificates[i] = challenges[i].certificate(level);
    certificates[i].score_error = score_error;
  }
}

void check(const CertifyOptions& options) {
  if (options.level > 0 && options.level < 1) return;
  throw Error(ErrorCode::kUsage, fmt::format("--certify {}: give a confidence between 0 and 1, "
                                             "such as 0.9",
                                             options.level));
}

// Calls body(decisions of one context, their certificates) for every context, in parallel.
std::vector<Certificate> for_each_context(
    std::span<const Decision> decisions, const CertifyOptions& options,
    const std::function<void(std::span<const Decision>, std::span<Certificate>)>& body) {
  check(options);
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (i == 0 || decisions[i].row != decisions[i - 1].row) first.push_back(i);
  }
  first.push_back(decisions.size());
  std::vector<Certificate> certificates(decisions.size());
  parallel_for(first.size() - 1, options.num_threads, [&](std::size_t context) {
    const std::size_t count = first[context + 1] - first[context];
    body(decisions.subspan(first[context], count),
         std::span(certificates).subspan(first[context], count));
  });
  return certificates;
}

DrawnWeights weights_of(const WeightMap& map, const Uncertainty& uncertainty,
                        std::span<const double> x, std::size_t row) {
  const std::size_t p = map.num_contexts();
  return {map, uncertainty, x.subspan(row * p, p)};
}

}  // namespace

std::vector<Certificate> certify(const WeightMap& map, const Uncertainty& uncertainty,
                                 std::span<const double> x, std::span<const Decision> decisions,
                                 const Library& library, const CertifyOptions& options) {
  std::vector<std::size_t> rows(library.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const PackedDecisions packed(library, rows);
  const Feasible feasible{library, rows, packed};
  return for_each_context(decisions, options, [&](auto own, auto certificates) {
    certify_context(feasible, weights_of(map, uncertainty, x, own.front().row), options.level, own,
                    certificates);
  });
}

std::vector<Certificate> certify(const WeightMap& map, const Uncertainty& uncertainty,
                                 std::span<const double> x, std::span<const Decision> decisions,
                                 const Candidates& candidates, std::span<const std::size_t> sets,
                                 const CertifyOptions& options) {
  return for_each_context(decisions, options, [&](auto own, auto certificates) {
    const auto rows = candidates.set(sets[own.front().row]);
    const PackedDecisions packed(candidates.rows(), rows);
    const Feasible feasible{candidates.rows(), rows, packed};
    certify_context(feasible, weights_of(map, uncertainty, x, own.front().row), options.level, own,
                    certificates);
  });
}

}  // namespace otss
