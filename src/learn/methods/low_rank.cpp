#include "learn/methods/low_rank.hpp"

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"
#include "learn/methods/contextual/contextual_fit.hpp"
#include "learn/problem/spectral_start.hpp"
#include "learn/problem/tile_products.hpp"
#include "model/maps/weight_maps.hpp"

namespace otss::internal {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMatrix = Eigen::Map<const RowMajor>;

constexpr int kMostRank = 4;
// The ridge strengths. The order is from weak to strong: a strong ridge shrinks directions to zero,
// and a fit with a weaker ridge that starts there leaves these directions at zero.
constexpr double kRidges[] = {3, 10, 30, 60, 120};

struct RankSetting {
  int rank;
  double ridge;
};

std::vector<RankSetting> grid(const Problem& problem) {
  // The rank is at least 1, even without contexts. Then V is empty, and the model is w = c.
  const int ranks = std::clamp(std::min(problem.num_contexts, problem.num_factors()), 1, kMostRank);
  std::vector<RankSetting> settings;
  for (int rank = 1; rank <= ranks; ++rank) {
    for (const double ridge : kRidges) settings.push_back({rank, ridge});
  }
  return settings;
}

// Returns U and V made from the leading pairs of the spectral start (spectral_start.hpp). Each pair
// gives a column of U and a column of V. The two columns are scaled to the same norm, because equal
// norms minimise the ridge penalty for a given product U V'.
std::vector<double> spectral_factors(const SpectralStart& spectral,
                                     const LowRankFunction::Shape& shape) {
  RowMajor left = RowMajor::Zero(shape.num_factors, shape.rank);
  RowMajor right = RowMajor::Zero(shape.num_contexts, shape.rank);
  for (int m = 0; m < std::min(shape.rank, spectral.num_pairs()); ++m) {
    const auto u = spectral.gate_direction(m);
    const auto v = spectral.expert_direction(m);
    right.col(m) = Eigen::Map<const Eigen::VectorXd>(u.data(), shape.num_contexts);
    left.col(m) = Eigen::Map<const Eigen::VectorXd>(v.data(), shape.num_factors);
    const double balance = std::sqrt(std::max(left.col(m).norm(), 1e-12) / right.col(m).norm());
    left.col(m) /= balance;
    right.col(m) *= balance;
  }
  std::vector<double> factors(left.data(), left.data() + left.size());
  factors.insert(factors.end(), right.data(), right.data() + right.size());
  return factors;
}

class LowRank final : public ComparisonMethod {
 public:
  std::vector<NamedValues> settings(const Problem& problem) const override {
    std::vector<NamedValues> settings;
    for (const RankSetting& s : grid(problem))
      settings.push_back({{"rank", s.rank}, {"ridge", s.ridge}});
    return settings;
  }

  std::vector<StandardisedModel> fit_all(const MethodInput& input) const override {
    const SpectralStart spectral(input.problem, input.pooled.fit.theta);
    const std::vector<RankSetting> all = grid(input.log);
    std::vector<StandardisedModel> models(all.size());
    constexpr std::size_t kSettings = std::size(kRidges);  // with the same rank
    parallel_for(all.size() / kSettings, input.num_threads, [&](std::size_t rank) {
      std::vector<double> theta = start(input, spectral, all[rank * kSettings].rank);
      for (std::size_t s = rank * kSettings; s < (rank + 1) * kSettings; ++s)
        models[s] = fit(input, all[s], theta);
    });
    return models;
  }

  StandardisedModel fit_one(const MethodInput& input, std::size_t setting,
                            const StandardisedModel&) const override {
    const SpectralStart spectral(input.problem, input.pooled.fit.theta);
    const RankSetting chosen = grid(input.log)[setting];
    std::vector<double> theta = start(input, spectral, chosen.rank);
    return fit(input, chosen, theta);
  }

 private:
  static LowRankFunction::Shape shape(const Problem& problem, int rank) {
    return {problem.num_contexts, problem.num_factors(), rank};
  }

  static std::vector<double> start(const MethodInput& input, const SpectralStart& spectral,
                                   int rank) {
    std::vector<double> own = spectral_factors(spectral, shape(input.problem, rank));
    const std::vector<double> main_effects = pooled_weights(input.pooled);
    own.insert(own.end(), main_effects.begin(), main_effects.end());
    return contextual_start(input.pooled, own);
  }

  // Fits one setting. The fit starts from `theta` and writes the optimum to `theta`.
  static StandardisedModel fit(const MethodInput& input, const RankSetting& setting,
                               std::vector<double>& theta) {
    const LowRankFunction weights(shape(input.problem, setting.rank), setting.ridge,
                                  input.pooled.penalty.center);
    theta = fit_contextual(input.problem, weights, input.pooled.penalty.baseline, theta,
                           {.num_threads = input.num_threads})
                .theta;
    return contextual_model(weights, theta);
  }
};

}  // namespace

void LowRankFunction::propagate(std::span<const double> theta, const Eigen::MatrixXd& contexts,
                                const Derivative& derivative, std::span<double> gradient) const {
  const auto [p, num_factors, rank] = shape_;
  const std::size_t columns = rank;
  const FunctionMatrix u{static_cast<std::size_t>(num_factors), theta.data(), columns, 1};
  const FunctionMatrix v_transposed{columns, theta.data() + right(), 1, columns};
  const Eigen::MatrixXd scores = linear_functions(contexts, v_transposed);
  Eigen::MatrixXd weights = linear_functions(scores, u);
  weights.rowwise() += Eigen::Map<const Eigen::RowVectorXd>(theta.data() + center(), num_factors);
  const Eigen::MatrixXd back = derivative(weights);
  const FunctionMatrix u_transposed{columns, theta.data(), 1, columns};
  add_products(back, scores, gradient.data());
  add_products(contexts, linear_functions(back, u_transposed), gradient.data() + right());
  Eigen::Map<Eigen::RowVectorXd>(gradient.data() + center(), num_factors) += back.colwise().sum();
}

double LowRankFunction::add_penalty(std::span<const double> theta,
                                    std::span<double> gradient) const {
  return add_ridge(ridge_, theta.first(center()), gradient) +
         add_ridge(center_penalty_, theta.subspan(center()), gradient.subspan(center()));
}

StandardisedModel LowRankFunction::model(std::span<const double> theta) const {
  const auto [p, num_factors, rank] = shape_;
  const RowMajor slopes = ConstMatrix(theta.data(), num_factors, rank) *
                          ConstMatrix(theta.data() + right(), p, rank).transpose();
  const auto main_effects = theta.subspan(center());
  StandardisedModel model;
  model.scorer = std::make_shared<LinearWeights>(
      p, std::vector<double>(slopes.data(), slopes.data() + slopes.size()),
      std::vector<double>(main_effects.begin(), main_effects.end()));
  return model;
}

std::unique_ptr<ComparisonMethod> make_low_rank(const FitOptions&) {
  return std::make_unique<LowRank>();
}

}  // namespace otss::internal
