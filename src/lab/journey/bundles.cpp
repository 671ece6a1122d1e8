#include "lab/journey/bundles.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/random.hpp"
#include "lab/journey/derivation.hpp"
#include "lab/journey/standardizer.hpp"

namespace otss::internal {
namespace {

constexpr std::array<const char*, kStaticFactors> kFactorColumns = {
    "afford", "deal", "private_label", "health", "convenience", "kid"};

std::vector<std::string> split(const std::string& joined) {
  std::vector<std::string> parts(1);
  for (const char c : joined) {
    if (c == '+') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// Returns the static factors of the bundles, bundles × 6. They are standardised: every column has
// mean 0 and standard deviation 1.
std::vector<double> standardized_factors(const std::vector<Bundle>& bundles) {
  std::vector<double> z;
  for (const Bundle& bundle : bundles)
    z.insert(z.end(), bundle.factors.begin(), bundle.factors.end());
  Standardizer(z, kStaticFactors).apply(z);
  return z;
}

double squared_distance(const double* a, const double* b) {
  double sum = 0;
  for (std::size_t j = 0; j < kStaticFactors; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

}  // namespace

std::vector<Bundle> read_bundles(const Table& table) {
  std::vector<Bundle> bundles(table.num_rows);
  for (std::size_t d = 0; d < bundles.size(); ++d) {
    Bundle& bundle = bundles[d];
    bundle.name = column_of(table, "items").texts[d];
    bundle.items = split(bundle.name);
    bundle.roles = split(column_of(table, "roles").texts[d]);
    bundle.log_price = column_of(table, "log_price").numbers[d];
    bundle.private_label = column_of(table, "private_label").numbers[d];
    for (std::size_t j = 0; j < kStaticFactors; ++j)
      bundle.factors[j] = column_of(table, kFactorColumns[j]).numbers[d];
  }
  return bundles;
}

std::vector<Bundle> spread_bundles(const std::vector<Bundle>& bundles, std::size_t count) {
  const std::vector<double> z = standardized_factors(bundles);
  const auto factors = [&](std::size_t d) { return &z[d * kStaticFactors]; };
  const std::array<double, kStaticFactors> centre{};
  std::vector<double> from_centre;
  for (std::size_t d = 0; d < bundles.size(); ++d)
    from_centre.push_back(squared_distance(factors(d), centre.data()));
  std::size_t next = std::ranges::min_element(from_centre) - from_centre.begin();

  std::vector<Bundle> spread;
  std::vector<double> to_taken(bundles.size(), INFINITY);
  while (spread.size() < std::min(count, bundles.size())) {
    spread.push_back(bundles[next]);
    for (std::size_t d = 0; d < bundles.size(); ++d)
      to_taken[d] = std::min(to_taken[d], squared_distance(factors(d), factors(next)));
    // A bundle that was taken gets the distance -1. All other distances are at least 0, so no
    // bundle is taken twice.
    to_taken[next] = -1;
    next = std::ranges::max_element(to_taken) - to_taken.begin();
  }
  return spread;
}

std::vector<Bundle> sampled_bundles(std::vector<Bundle> bundles, std::size_t count,
                                    std::uint64_t number) {
  Rng(number).shuffle(std::span(bundles));
  bundles.resize(std::min(count, bundles.size()));
  return bundles;
}

}  // namespace otss::internal
