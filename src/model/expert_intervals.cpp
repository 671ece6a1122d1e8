#include <fmt/core.h>

#include <vector>

#include "base/normal_law.hpp"
#include "model/fitted_parts.hpp"
#include "model/uncertainty/confidence.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// Computes the bounds of the errors of all experts' weights: lo <= 0 <= hi, both K × J.
struct ExpertBounds {
  const Mixture& mixture;
  const Encoder& encoder;
  double level;
  std::span<double> lo, hi;

  void operator()(const std::shared_ptr<const NormalUncertainty>& normal) const {
    const double quantile = normal_quantile(0.5 + 0.5 * level);
    const auto num_factors = static_cast<std::size_t>(mixture.num_factors());
    for (std::size_t i = 0; i < lo.size(); ++i) {
      hi[i] = quantile * normal->expert_error(static_cast<int>(i / num_factors),
                                              static_cast<int>(i % num_factors));
      lo[i] = -hi[i];
    }
  }

  void operator()(const std::shared_ptr<const DrawnUncertainty>& drawn) const {
    const auto num_factors = static_cast<std::size_t>(mixture.num_factors());
    std::vector<double> scales;
    for (const FactorColumn& factor : encoder.factors) scales.push_back(factor.scale);
    std::vector<double> errors(drawn->num_draws() * num_factors);
    for (int k = 0; k < mixture.num_experts(); ++k) {
      drawn->expert_departures(mixture.expert(k), scales, errors);
      drawn->interval_of(errors, level, Coverage::kEachFactor,
                         lo.subspan(k * num_factors, num_factors),
                         hi.subspan(k * num_factors, num_factors));
    }
  }
};

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

bool Fitted::has_expert_intervals() const {
  return mixture() != nullptr && has_uncertainty() && mixture()->gate_kind() != GateKind::kAverage;
}

void Fitted::expert_intervals(double level, std::span<double> lo, std::span<double> hi) const {
  require_confidence(level);
  require_experts();
  uncertainty();  // throws an Error that says which models have intervals
  if (!has_expert_intervals()) {
    throw Error(ErrorCode::kInput,
                "the model is an average of many draws, whose experts have no intervals of their "
                "own; fit it with --deploy distilled");
  }
  std::visit(ExpertBounds{*mixture(), encoder(), level, lo, hi}, parts_->uncertainty);
  const std::size_t num_factors = this->num_factors();
  for (std::size_t i = 0; i < lo.size(); ++i) {
    const double weight = mixture()->expert(static_cast<int>(i / num_factors))[i % num_factors];
    lo[i] += weight;
    hi[i] += weight;
  }
}

}  // namespace otss
