#include "lab/theory/hard_regions.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <span>

namespace otss::internal {
namespace {

constexpr int kNumbersOfRegions[] = {1, 2, 3, 4, 6, 8, 12, 16, 24};
constexpr std::size_t kLeastRowsOfRegion = 40;
constexpr std::size_t kRegionFolds = 5;

struct Bin {
  std::vector<double> factors;
  std::vector<float> outcomes;
};

std::span<const double> factors_of(const RateLog& log, std::size_t row) {
  return std::span(log.factors).subspan(row * kRateFactors, kRateFactors);
}

int region_of(double x, int regions) {
  return std::min(regions - 1, static_cast<int>(x * regions));
}

HardRegions fit_rows(const RateLog& log, int num_regions, LogisticFit how,
                     const std::function<bool(std::size_t row)>& is_used) {
  std::vector<Bin> bins(num_regions);
  for (std::size_t i = 0; i < log.num_rows(); ++i) {
    if (!is_used(i)) continue;
    Bin& bin = bins[region_of(log.contexts[i], num_regions)];
    const auto z = factors_of(log, i);
    bin.factors.insert(bin.factors.end(), z.begin(), z.end());
    bin.outcomes.push_back(log.outcomes[i]);
  }
  HardRegions result;
  for (const Bin& bin : bins)
    result.weights.push_back(fit_logistic(bin.factors, bin.outcomes, how));
  return result;
}

// Returns the summed log-loss of the rows of one fold, predicted from the other rows.
double held_out_loss(const RateLog& log, int num_regions, std::size_t fold) {
  const auto is_held_out = [fold](std::size_t row) { return row % kRegionFolds == fold; };
  const HardRegions fit = fit_rows(log, num_regions, LogisticFit::kBiasReduced,
                                   [&](std::size_t row) { return !is_held_out(row); });
  double loss = 0;
  for (std::size_t i = fold; i < log.num_rows(); i += kRegionFolds) {
    const RateWeights& w = fit.at(log.contexts[i]);
    double score = 0;
    for (int j = 0; j < kRateFactors; ++j) score += w[j] * factors_of(log, i)[j];
    loss += std::log1p(std::exp(log.outcomes[i] > 0 ? -score : score));
  }
  return loss;
}

}  // namespace

HardRegions fit_hard_regions(const RateLog& log, int num_regions, LogisticFit how) {
  return fit_rows(log, num_regions, how, [](std::size_t) { return true; });
}

int choose_num_regions(const RateLog& log) {
  int chosen = 1;
  double lowest = std::numeric_limits<double>::infinity();
  for (const int regions : kNumbersOfRegions) {
    if (log.num_rows() < kLeastRowsOfRegion * regions) break;
    double loss = 0;
    for (std::size_t fold = 0; fold < kRegionFolds; ++fold)
      loss += held_out_loss(log, regions, fold);
    if (loss >= lowest) continue;
    lowest = loss;
    chosen = regions;
  }
  return chosen;
}

}  // namespace otss::internal
