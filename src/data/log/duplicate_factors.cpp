#include "data/log/duplicate_factors.hpp"

#include <cmath>

#include "base/ranks/message.hpp"

namespace otss::internal {
namespace {

constexpr double kTwins = 1 - 1e-12;
// Two factors may be duplicates if their |correlation| in a strip is above this limit. The limit
// for all rows is 1 - 1e-12. The limit for a strip is lower, to allow for rounding.
constexpr double kPerhapsTwins = 1 - 1e-9;

struct Moments {
  double count = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

  // Returns true if the two factors may be duplicates. If one of the factors is constant in this
  // strip, the strip proves nothing, so the answer is true.
  bool may_be_twins() const {
    const double vx = xx - x * x / count;
    const double vy = yy - y * y / count;
    if (!(vx > 1e-4 * xx && vy > 1e-4 * yy)) return true;
    return std::abs(xy - x * y / count) > kPerhapsTwins * std::sqrt(vx * vy);
  }
};

Moments moments(const double* x, const ColumnSummary& summary_x, const double* y,
                const ColumnSummary& summary_y, std::size_t num_rows) {
  Moments sums;
  sums.count = static_cast<double>(num_rows);
  for (std::size_t i = 0; i < num_rows; ++i) {
    const double a = summary_x.shifted(x[i]);
    const double b = summary_y.shifted(y[i]);
    sums.x += a;
    sums.y += b;
    sums.xx += a * a;
    sums.yy += b * b;
    sums.xy += a * b;
  }
  return sums;
}

}  // namespace

DuplicateFactors::DuplicateFactors(std::size_t num_factors) {
  for (std::size_t i = 0; i < num_factors; ++i) {
    for (std::size_t j = i + 1; j < num_factors; ++j) candidates_.push_back({i, j});
  }
}

void DuplicateFactors::observe(std::size_t strip, std::span<const double* const> columns,
                               std::size_t num_rows, std::span<const ColumnSummary> summaries) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  {
    const std::lock_guard lock(mutex_);
    for (const Pair& pair : candidates_) pairs.emplace_back(pair.first, pair.second);
  }
  if (pairs.empty()) return;
  std::map<std::pair<std::size_t, std::size_t>, Moments> computed;
  for (const auto& [first, second] : pairs) {
    computed[{first, second}] =
        moments(columns[first], summaries[first], columns[second], summaries[second], num_rows);
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(candidates_, [&](Pair& pair) {
    const Moments& sums = computed.at({pair.first, pair.second});
    pair.sums_of_products[strip] = sums.xy;
    return !sums.may_be_twins();
  });
}

void DuplicateFactors::add_ranks(Ranks& ranks) {
  struct Sum {
    std::size_t first, second;
    double products;
  };
  const std::string all = ranks.fold([&](const std::string& before) {
    std::map<std::pair<std::size_t, std::size_t>, double> earlier;
    if (!before.empty()) {
      for (const Sum& sum : MessageReader(before).get<std::vector<Sum>>())
        earlier[{sum.first, sum.second}] = sum.products;
    }
    std::vector<Sum> sums;
    for (const Pair& pair : candidates_) {
      if (!before.empty() && !earlier.contains({pair.first, pair.second})) continue;
      Sum sum{pair.first, pair.second, before.empty() ? 0 : earlier[{pair.first, pair.second}]};
      for (const auto& [strip, products] : pair.sums_of_products) sum.products += products;
      sums.push_back(sum);
    }
    MessageWriter writer;
    writer.put(sums);
    return std::move(writer).take();
  });
  candidates_.clear();
  for (const Sum& sum : MessageReader(all).get<std::vector<Sum>>())
    candidates_.push_back({sum.first, sum.second, {{0, sum.products}}});
}

std::optional<std::pair<std::size_t, std::size_t>> DuplicateFactors::find(
    std::span<const ColumnSummary> summaries) const {
  const auto pairs = find_all(summaries);
  return pairs.empty() ? std::nullopt : std::optional(pairs.front());
}

std::vector<std::pair<std::size_t, std::size_t>> DuplicateFactors::find_all(
    std::span<const ColumnSummary> summaries) const {
  std::vector<std::pair<std::size_t, std::size_t>> twins;
  for (const Pair& pair : candidates_) {
    const ColumnSummary& x = summaries[pair.first];
    const ColumnSummary& y = summaries[pair.second];
    double sum_products = 0;
    for (const auto& [strip, sum] : pair.sums_of_products) sum_products += sum;
    const double covariance = sum_products / x.num_present() - x.shifted_mean() * y.shifted_mean();
    const double correlation = covariance / (x.shifted_sd() * y.shifted_sd());
    if (std::abs(correlation) > kTwins) twins.emplace_back(pair.first, pair.second);
  }
  return twins;
}

}  // namespace otss::internal
