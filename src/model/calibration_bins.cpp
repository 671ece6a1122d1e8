#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/normal_law.hpp"
#include "otss/model/diagnostics.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kMostBins = 10;
constexpr std::size_t kFewestRows = 30;

// Holds the rows in the order of their predictions, and computes bins of consecutive rows.
class CalibrationRows {
 public:
  CalibrationRows(const PredictedFamily& predicted, std::span<const double> eta,
                  std::span<const double> outcomes, std::span<const double> weights,
                  std::span<const std::uint32_t> units)
      : predicted_(predicted),
        eta_(eta),
        outcomes_(outcomes),
        weights_(weights),
        units_(units),
        order_(eta.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return eta_[i]; });
  }

  std::vector<PredictionBin> bins() const {
    const std::size_t count = std::clamp<std::size_t>(order_.size() / kFewestRows, 1, kMostBins);
    double total = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) total += weight(i);
    std::vector<PredictionBin> result;
    double below = 0;  // the weight of the rows before `end`
    for (std::size_t first = 0, end = 0; first < order_.size(); first = end) {
      const double wanted =
          total * static_cast<double>(result.size() + 1) / static_cast<double>(count);
      while (end < order_.size() &&
             (end - first < kFewestRows || below < wanted || splits_ties(end)))
        below += weight(order_[end++]);
      if (order_.size() - end < kFewestRows) end = order_.size();
      if (weight_between(first, end) > 0) result.push_back(bin(first, end));
    }
    return result;
  }

 private:
  double weight(std::size_t row) const { return weights_.empty() ? 1 : weights_[row]; }

  // Returns true if the rows before and after this position have equal predictions.
  bool splits_ties(std::size_t position) const {
    return eta_[order_[position]] == eta_[order_[position - 1]];
  }

  double weight_between(std::size_t first, std::size_t end) const {
    double sum = 0;
    for (std::size_t t = first; t < end; ++t) sum += weight(order_[t]);
    return sum;
  }

  PredictionBin bin(std::size_t first, std::size_t end) const {
    const double total = weight_between(first, end);
    PredictionBin bin{.rows = end - first};
    double implied = 0;  // the variance of the mean that the output family implies
    for (std::size_t t = first; t < end; ++t) {
      const std::size_t i = order_[t];
      const double share = weight(i) / total;
      bin.predicted += share * predicted_.family.mean(eta_[i]);
      bin.observed += share * outcomes_[i];
      implied += share * share * variance(eta_[i]);
    }
    bin.standard_error =
        std::sqrt(std::max(implied, variance_of_mean(first, end, total, bin.observed)));
    return bin;
  }

  double variance(double eta) const {
    const bool is_gaussian = predicted_.family == OutputFamily::kGaussian;
    return is_gaussian ? predicted_.noise * predicted_.noise : predicted_.family.curvature(eta);
  }

  // Returns the cluster-robust variance of the mean outcome of a bin, as clustered_interval does.
  double variance_of_mean(std::size_t first, std::size_t end, double total, double mean) const {
    std::map<std::uint32_t, double> sums;  // the influence of each unit on the mean
    double squares = 0;
    std::size_t rows = 0;
    for (std::size_t t = first; t < end; ++t) {
      const std::size_t i = order_[t];
      const double influence = weight(i) / total * (outcomes_[i] - mean);
      if (units_.empty()) {
        squares += influence * influence;
        ++rows;
      } else {
        sums[units_[i]] += influence;
      }
    }
    for (const auto& [unit, sum] : sums) squares += sum * sum;
    const auto count = static_cast<double>(rows + sums.size());
    return count < 2 ? 0 : squares * count / (count - 1);
  }

  PredictedFamily predicted_;
  std::span<const double> eta_, outcomes_, weights_;
  std::span<const std::uint32_t> units_;
  std::vector<std::size_t> order_;
};

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

Bounds PredictionBin::interval(OutputFamily family, double level) const {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const double least = family == OutputFamily::kGaussian ? -kInfinite : 0;
  const double most = family == OutputFamily::kBernoulli ? 1 : kInfinite;
  const double half = normal_quantile(0.5 + 0.5 * level) * standard_error;
  return {std::max(least, observed - half), std::min(most, observed + half)};
}

std::vector<PredictionBin> calibration_bins(const PredictedFamily& predicted,
                                            std::span<const double> eta,
                                            std::span<const double> outcomes,
                                            std::span<const double> weights,
                                            std::span<const std::uint32_t> units) {
  return CalibrationRows(predicted, eta, outcomes, weights, units).bins();
}

}  // namespace otss
