#include <algorithm>
#include <limits>

#include "otss/decide/decider.hpp"

namespace otss {

std::vector<double> explain(const WeightMap& map, std::span<const double> x,
                            std::span<const Decision> decisions, const FeasibleSet& feasible,
                            UnitBeliefs units) {
  const std::size_t p = map.num_contexts();
  const std::size_t num_factors = map.num_factors();
  std::vector<double> contributions(decisions.size() * num_factors);
  std::vector<double> w(num_factors);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (i == 0 || decisions[i].row != decisions[i - 1].row) {
      map.weights(x.subspan(decisions[i].row * p, p), w);
      if (!units.empty()) add_deviations(units.subspan(decisions[i].row, 1), w);
    }
    const auto z = feasible.factors_of(decisions[i].index);
    for (std::size_t j = 0; j < num_factors; ++j) contributions[i * num_factors + j] = w[j] * z[j];
  }
  return contributions;
}

std::vector<double> explain_margin(const WeightMap& map, std::span<const double> x,
                                   std::span<const Decision> decisions, const FeasibleSet& feasible,
                                   UnitBeliefs units) {
  const std::size_t num_factors = map.num_factors();
  const std::vector<double> contributions = explain(map, x, decisions, feasible, units);
  std::vector<double> ahead(contributions.size(), std::numeric_limits<double>::quiet_NaN());
  std::size_t best = 0;  // the position of the best decision of the current context
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (decisions[i].row != decisions[best].row) best = i;
    const std::size_t other = i == best ? i + 1 : best;
    if (other >= decisions.size() || decisions[other].row != decisions[i].row) continue;
    for (std::size_t j = 0; j < num_factors; ++j) {
      ahead[i * num_factors + j] =
          contributions[i * num_factors + j] - contributions[other * num_factors + j];
    }
  }
  return ahead;
}

std::vector<double> by_own_factors(const Encoder& encoder, std::span<const double> contributions) {
  const std::vector<std::string> own = encoder.own_factors();
  const std::size_t num_factors = encoder.factors.size();
  const std::size_t rows = contributions.size() / num_factors;
  std::vector<double> result(rows * own.size(), 0.0);
  for (std::size_t j = 0; j < num_factors; ++j) {
    const FactorColumn& factor = encoder.factors[j];
    const std::vector<std::string> columns =
        factor.term ? factor.term->columns : std::vector<std::string>{factor.name};
    for (const std::string& column : columns) {
      const std::size_t place = std::ranges::find(own, column) - own.begin();
      for (std::size_t row = 0; row < rows; ++row) {
        result[row * own.size() + place] +=
            contributions[row * num_factors + j] / static_cast<double>(columns.size());
      }
    }
  }
  return result;
}

std::vector<double> explain_unit(UnitBeliefs units, std::span<const Decision> decisions,
                                 const FeasibleSet& feasible) {
  std::vector<double> contributions;
  for (const Decision& decision : decisions) {
    const UnitBelief* unit = units[decision.row];
    const auto z = feasible.factors_of(decision.index);
    double sum = 0;
    for (std::size_t j = 0; unit != nullptr && j < z.size(); ++j) sum += unit->weights[j] * z[j];
    contributions.push_back(sum);
  }
  return contributions;
}

ExpertScores explain_experts(const Mixture& mixture, std::span<const double> x,
                             std::span<const Decision> decisions, const FeasibleSet& feasible) {
  const std::size_t p = mixture.num_contexts();
  const std::size_t num_experts = mixture.num_experts();
  ExpertScores result;
  std::vector<double> alpha(num_experts);
  for (const Decision& decision : decisions) {
    mixture.shares(x.subspan(decision.row * p, p), alpha);
    const auto z = feasible.factors_of(decision.index);
    for (std::size_t k = 0; k < num_experts; ++k) {
      const auto expert = mixture.expert(static_cast<int>(k));
      double score = 0;
      for (std::size_t j = 0; j < z.size(); ++j) score += expert[j] * z[j];
      result.shares.push_back(alpha[k]);
      result.scores.push_back(alpha[k] * score);
    }
  }
  return result;
}

}  // namespace otss
