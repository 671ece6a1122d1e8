// Says how far the intervals of a model's weights, and the certificates of its decisions, can be
// trusted. A fit computes these checks; docs/method.md derives them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace otss {

// The test whether the gate fits: whether squares and pairs of the context columns would change the
// weights. A gate that does not fit makes w(x) = ŵ(x) + δ(x), where ŵ(x) are the weights of the
// model and δ(x) is a discrepancy that more rows do not reduce.
struct GateTest {
  std::size_t columns = 0;  // the number of squares and pairs that were tested
  double p_value = 1;       // the probability of so large a statistic if the gate fits
  // How much the tested columns lower the loss on held-out rows, per row.
  double gain = 0;
  // The standard deviation of δ(x) over contexts, one entry per factor, in the log's own units. The
  // entries have signs: δ(x) is this vector times a standard normal number. Empty if the gate fits.
  std::vector<double> discrepancy;

  bool fits() const { return discrepancy.empty(); }
};

struct WeightChecks {
  // Absent if the gate was not tested: if the model has no linear or quadratic gate, if it mixes
  // probabilities, or if the log has too few rows.
  std::optional<GateTest> gate;
  // The part of the variation of the weights that the log determines: V / (V + E). V is the variance
  // of w(x) over contexts, times the lower end of the gain's 95 % interval divided by the gain (0 if
  // it is not supported); E is the mean variance of the error of w(x). Both are sums over standardised
  // factors. For a fit that found one trade-off, V is its squared weights, and E contains the largest
  // variance over contexts that the log does not exclude. Absent if the model has no intervals.
  std::optional<double> known_share;

  // If less is known, errors are larger than what is known about the weights of single contexts.
  static constexpr double kLeastKnownShare = 0.5;

  bool determined() const { return !known_share || *known_share >= kLeastKnownShare; }
};

// Returns one sentence for each check that failed: what is wrong, what it means for intervals and
// certificates, and what to do.
std::vector<std::string> failed_checks(const WeightChecks& checks);

}  // namespace otss
