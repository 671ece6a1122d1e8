#include "lab/theory/slope.hpp"

#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// Returns 1 / variance of the logarithm of the point's mean error.
double log_mean_precision(const RatePoint& point) {
  const double mean = point.mean();
  double squares = 0;
  for (const double error : point.errors) squares += (error - mean) * (error - mean);
  const auto seeds = static_cast<double>(point.errors.size());
  return mean * mean * seeds * (seeds - 1) / squares;
}

// Computes weighted linear regressions on one column x, for many responses y.
class WeightedLine {
 public:
  WeightedLine(std::vector<double> x, std::vector<double> weights)
      : x_(std::move(x)), weights_(std::move(weights)) {
    total_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    for (std::size_t i = 0; i < x_.size(); ++i) center_ += weights_[i] * x_[i] / total_;
    for (std::size_t i = 0; i < x_.size(); ++i)
      spread_ += weights_[i] * (x_[i] - center_) * (x_[i] - center_);
  }

  double slope(std::span<const double> y) const {
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) sum += weights_[i] * (x_[i] - center_) * y[i];
    return sum / spread_;
  }

  double intercept(std::span<const double> y) const {
    double mean = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) mean += weights_[i] * y[i] / total_;
    return mean - slope(y) * center_;
  }

 private:
  std::vector<double> x_, weights_;
  double total_ = 0;
  double center_ = 0;
  double spread_ = 0;
};

double resampled_log_mean(const RatePoint& point, Rng& rng) {
  double sum = 0;
  for (std::size_t i = 0; i < point.errors.size(); ++i)
    sum += point.errors[rng.below(point.errors.size())];
  return std::log(sum / static_cast<double>(point.errors.size()));
}

}  // namespace

double RatePoint::mean() const {
  return std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
}

SlopeFit fit_slope(std::span<const RatePoint> points, const BootstrapOptions& options) {
  assert(points.size() >= 2);
  std::vector<double> log_n;
  std::vector<double> precisions;
  std::vector<double> log_means;
  for (const RatePoint& point : points) {
    if (point.errors.size() < 2) {
      throw Error(ErrorCode::kUsage,
                  "the interval of a slope needs at least two seeds; use --seeds 2 or more");
    }
    log_n.push_back(std::log(point.n));
    precisions.push_back(log_mean_precision(point));
    log_means.push_back(std::log(point.mean()));
  }
  const WeightedLine line(std::move(log_n), std::move(precisions));

  Rng rng(options.seed);
  std::vector<double> slopes(options.resamples);
  std::vector<double> resampled(points.size());
  for (double& slope : slopes) {
    for (std::size_t i = 0; i < points.size(); ++i)
      resampled[i] = resampled_log_mean(points[i], rng);
    slope = line.slope(resampled);
  }
  const Interval interval = percentile_interval(std::move(slopes), options.level);
  return {line.slope(log_means), interval.lo, interval.hi, line.intercept(log_means)};
}

}  // namespace otss::internal
