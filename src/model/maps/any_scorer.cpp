#include "model/maps/any_scorer.hpp"

#include <cassert>

namespace otss::internal {
namespace {

// Divides row j of a J × n matrix by scales[j].
std::vector<double> scaled_rows(std::span<const double> rows, std::span<const double> scales) {
  const std::size_t columns = rows.size() / scales.size();
  std::vector<double> scaled(rows.begin(), rows.end());
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] /= scales[i / columns];
  return scaled;
}

struct InUnits {
  std::span<const double> centers;
  std::span<const double> scales;

  AnyScorer operator()(const std::shared_ptr<const SoftMixture>& mixture) const {
    std::vector<double> experts(mixture->experts().begin(), mixture->experts().end());
    for (std::size_t i = 0; i < experts.size(); ++i) experts[i] /= scales[i % scales.size()];
    return with_experts(*mixture, std::move(experts));
  }
  AnyScorer operator()(const std::shared_ptr<const LinearWeights>& linear) const {
    return std::make_shared<LinearWeights>(linear->num_contexts(),
                                           scaled_rows(linear->slopes(), scales),
                                           scaled_rows(linear->intercepts(), scales));
  }
  AnyScorer operator()(const std::shared_ptr<const NetworkWeights>& map) const {
    Network network = map->network();
    network.output_slopes = scaled_rows(network.output_slopes, scales);
    network.output_intercepts = scaled_rows(network.output_intercepts, scales);
    return std::make_shared<NetworkWeights>(std::move(network));
  }
  AnyScorer operator()(const std::shared_ptr<const TreeScorer>& trees) const {
    return std::make_shared<TreeScorer>(in_units(*trees, centers, scales));
  }
};

}  // namespace

const Scorer& as_scorer(const AnyScorer& scorer) {
  return std::visit([](const auto& one) -> const Scorer& { return *one; }, scorer);
}

std::shared_ptr<const SoftMixture> as_soft_mixture(const AnyScorer& scorer) {
  const auto* mixture = std::get_if<std::shared_ptr<const SoftMixture>>(&scorer);
  return mixture != nullptr ? *mixture : nullptr;
}

AnyScorer in_units(const AnyScorer& scorer, std::span<const double> centers,
                   std::span<const double> scales) {
  assert(static_cast<int>(scales.size()) == as_scorer(scorer).num_factors());
  return std::visit(InUnits{centers, scales}, scorer);
}

}  // namespace otss::internal
