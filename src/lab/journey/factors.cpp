#include "lab/journey/factors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

constexpr double kHabitUnit = 0.25;

// Stores which items each household had bought before each context.
class KnownItems {
 public:
  KnownItems(const Table& contexts, const Table& first_bought) {
    // For each household, the rows of first_bought that belong to it.
    std::map<double, std::vector<std::size_t>> purchases;
    const Column& household = column_of(first_bought, "household");
    for (std::size_t i = 0; i < first_bought.num_rows; ++i)
      purchases[household.numbers[i]].push_back(i);
    const Column& item = column_of(first_bought, "item");
    const Column& since = column_of(first_bought, "week");
    const Column& whose = column_of(contexts, "household");
    const Column& week = column_of(contexts, "week");
    for (std::size_t i = 0; i < contexts.num_rows; ++i) {
      for (const std::size_t purchase : purchases[whose.numbers[i]]) {
        if (since.numbers[purchase] >= week.numbers[i]) continue;
        std::vector<bool>& contexts_knowing = known_[item.texts[purchase]];
        contexts_knowing.resize(contexts.num_rows);
        contexts_knowing[i] = true;
      }
    }
  }

  // Returns, for each context, whether its household had bought the item before. The result is
  // empty if no household had bought the item before any context.
  const std::vector<bool>& contexts_knowing(const std::string& item) { return known_[item]; }

 private:
  std::map<std::string, std::vector<bool>> known_;
};

using Lifts = std::map<std::string, std::vector<double>>;

// For each role and every context, returns log(household's share of the role / share of the role
// over all households).
Lifts log_lifts(const Table& contexts, const Table& everybody) {
  Lifts lifts;
  for (const Column& shares : everybody.columns) {
    std::vector<double>& lift = lifts[shares.name];
    for (const double share : column_of(contexts, shares.name).numbers)
      lift.push_back(std::log(share / shares.numbers[0]));
  }
  return lifts;
}

// Returns, for every context, the mean of log_lifts over a bundle's roles.
std::vector<double> mean_lift(const Bundle& bundle, const Lifts& lifts) {
  std::vector<double> mean;
  for (const std::string& role : bundle.roles) {
    const auto found = lifts.find("role_" + role);
    if (found == lifts.end()) {
      throw Error(
          ErrorCode::kInput,
          fmt::format(
              "table breakfast_items has the unknown role '{}'; use milk, cereal, egg, meat, "
              "bread, griddle, pastry, yogurt, fruit, juice, coffee or spread",
              role));
    }
    mean.resize(found->second.size());
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += found->second[i] / static_cast<double>(bundle.roles.size());
  }
  return mean;
}

// Returns, for every context, the share of a bundle's items that the household had not bought
// before.
std::vector<double> novelty(const Bundle& bundle, KnownItems& known, std::size_t num_contexts) {
  std::vector<double> share(num_contexts, 1.0);
  for (const std::string& item : bundle.items) {
    const std::vector<bool>& contexts = known.contexts_knowing(item);
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      if (contexts[i]) share[i] -= 1 / static_cast<double>(bundle.items.size());
    }
  }
  return share;
}

}  // namespace

const std::vector<std::string>& journey_factor_names() {
  static const std::vector<std::string> names = {"afford",      "deal", "private_label", "health",
                                                 "convenience", "kid",  "habit",         "budget",
                                                 "brand",       "novel"};
  return names;
}

std::vector<double> journey_factors(const Table& contexts, const std::vector<Bundle>& library,
                                    const DerivedTables& derived) {
  KnownItems known(contexts, derived.first_bought);
  const Lifts lifts = log_lifts(contexts, derived.role_shares);
  const std::vector<double>& log_price = column_of(contexts, "breakfast_log_price").numbers;
  const std::vector<double>& private_label = column_of(contexts, "breakfast_private_label").numbers;
  const std::size_t num_factors = journey_factor_names().size();
  std::vector<double> factors(contexts.num_rows * library.size() * num_factors);
  for (std::size_t d = 0; d < library.size(); ++d) {
    const Bundle& bundle = library[d];
    const std::vector<double> lift = mean_lift(bundle, lifts);
    const std::vector<double> novel = novelty(bundle, known, contexts.num_rows);
    for (std::size_t i = 0; i < contexts.num_rows; ++i) {
      double* z = &factors[(i * library.size() + d) * num_factors];
      z = std::ranges::copy(bundle.factors, z).out;
      *z++ = 1 / (1 + std::exp(-lift[i] / kHabitUnit));
      *z++ = std::exp(-std::abs(bundle.log_price - log_price[i]));
      *z++ = 1 - std::abs(bundle.private_label - private_label[i]);
      *z++ = novel[i];
    }
  }
  return factors;
}

}  // namespace otss::internal
