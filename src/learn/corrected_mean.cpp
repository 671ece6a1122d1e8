#include "learn/corrected_mean.hpp"

#include <cassert>
#include <cmath>
#include <numeric>

#include "base/student.hpp"

namespace otss::internal {

CorrectedMean corrected_mean(std::span<const double> per_split, double test_to_train) {
  assert(per_split.size() >= 2);
  const auto count = static_cast<double>(per_split.size());
  CorrectedMean result;
  result.mean = std::accumulate(per_split.begin(), per_split.end(), 0.0) / count;
  double variance = 0;
  for (const double value : per_split)
    variance += (value - result.mean) * (value - result.mean) / (count - 1);
  result.standard_error = std::sqrt(variance * (1 / count + test_to_train));
  const double half = student_quantile(0.975, count - 1) * result.standard_error;
  result.interval = {result.mean - half, result.mean + half};
  return result;
}

}  // namespace otss::internal
