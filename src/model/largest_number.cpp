#include "model/largest_number.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <span>
#include <variant>

namespace otss::internal {
namespace {

// NaN counts as infinite, so that a check against a limit refuses NaN.
double larger(double size, double value) {
  return std::isnan(value) ? std::numeric_limits<double>::infinity()
                           : std::max(size, std::abs(value));
}

double largest(std::initializer_list<std::span<const double>> lists) {
  double found = 0;
  for (const auto& list : lists) {
    for (const double value : list) found = larger(found, value);
  }
  return found;
}

double largest_in(const LinearGate& gate) { return largest({gate.slopes(), gate.intercepts()}); }
double largest_in(const QuadraticGate& gate) { return largest_in(gate.on_columns()); }
double largest_in(const OneHotGate& gate) { return largest_in(gate.scores()); }
double largest_in(const CenterGate& gate) { return largest({gate.centers()}); }
double largest_in(const Network& network) {
  return largest({network.hidden_slopes, network.hidden_intercepts, network.output_slopes,
                  network.output_intercepts});
}
double largest_in(const NetworkGate& gate) { return largest_in(gate.network()); }
double largest_in(const AverageGate& gate) {
  double found = 0;
  for (const auto& member : gate.members()) {
    const double in_member =
        std::visit([](const auto& one) { return largest_in(one); }, member.gate);
    found = std::max(found, in_member);
  }
  return found;
}
double largest_in(const SoftMixture& mixture) {
  const double in_gate =
      std::visit([](const auto& gate) { return largest_in(gate); }, mixture.gate());
  return std::max(in_gate, largest({mixture.experts()}));
}
double largest_in(const LinearWeights& map) { return largest({map.slopes(), map.intercepts()}); }
double largest_in(const NetworkWeights& map) { return largest_in(map.network()); }
double largest_in(const TreeScorer& scorer) {
  double found = 0;
  for (const Tree& tree : scorer.trees()) {
    for (const TreeNode& node : tree) found = larger(found, node.value);
  }
  return found;
}

}  // namespace

double largest_number(const AnyScorer& scorer) {
  return std::visit([](const auto& one) { return largest_in(*one); }, scorer);
}

double largest_number(const Baseline& baseline) {
  const double one[] = {baseline.intercept, baseline.noise};
  return largest({one, baseline.slopes, baseline.expert_intercepts});
}

}  // namespace otss::internal
