#include "report/sections/factor_facts.hpp"

#include <cmath>

namespace otss::internal {
namespace {

// Returns the standard deviation of each factor within contexts: how much the feasible decisions of
// one context differ. For a library this is the standard deviation over its decisions.
std::vector<double> feasible_sds(const FeasibleSet& feasible) {
  const std::size_t num_factors = feasible.num_factors();
  std::vector<double> squares(num_factors, 0.0);
  for (std::size_t context = 0; context < feasible.num_contexts(); ++context) {
    const ContextDecisions open = feasible.at(context);
    for (std::size_t d = 0; d < open.size(); ++d) {
      for (std::size_t j = 0; j < num_factors; ++j)
        squares[j] += std::pow(open.factors(d)[j] - open.mean_factors()[j], 2);
    }
  }
  for (double& entry : squares) entry = std::sqrt(entry / static_cast<double>(feasible.size()));
  return squares;
}

}  // namespace

std::vector<FactorFacts> factor_facts(const ReportInput& input) {
  const double shrinkage = input.fitted.roles().term_shrinkage;
  std::vector<FactorFacts> facts;
  for (const FactorColumn& factor : input.encoder().factors) {
    FactorFacts one;
    // The encoder's scale of a term is its standard deviation × shrinkage.
    one.log_sd = one.sd = factor.term ? factor.scale / shrinkage : factor.scale;
    facts.push_back(one);
  }
  if (input.feasible == nullptr) return facts;
  const std::vector<double> sds = feasible_sds(*input.feasible);
  for (std::size_t j = 0; j < facts.size(); ++j) {
    facts[j].sd = sds[j];
    facts[j].sd_over = input.feasible->is_shared() ? SpreadOver::kLibrary : SpreadOver::kCandidates;
  }
  return facts;
}

std::vector<double> sds_of(const std::vector<FactorFacts>& factors) {
  std::vector<double> sds;
  for (const FactorFacts& factor : factors) sds.push_back(factor.sd);
  return sds;
}

void set_importance(const ReportInput& input, const std::vector<Estimate>& average,
                    std::vector<FactorFacts>& factors) {
  for (std::size_t j = 0; j < factors.size(); ++j) {
    const double size =
        input.log != nullptr ? input.log->mean_magnitudes[j] : std::abs(average[j].value);
    factors[j].importance = size * factors[j].sd;
  }
}

}  // namespace otss::internal
