#include "lab/journey/factors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "otss/base/error.hpp"

namespace otss {
namespace {

// Since when a household has known an item.
class Acquaintance {
 public:
  explicit Acquaintance(const Table& first_bought) {
    const Column& household = column_of(first_bought, "household");
    const Column& item = column_of(first_bought, "item");
    const Column& week = column_of(first_bought, "week");
    for (std::size_t i = 0; i < first_bought.num_rows; ++i)
      since_[{household.numbers[i], item.texts[i]}] = week.numbers[i];
  }

  bool knows(double household, const std::string& item, double week) const {
    const auto found = since_.find({household, item});
    return found != since_.end() && found->second < week;
  }

 private:
  std::map<std::pair<double, std::string>, double> since_;
};

using Lifts = std::map<std::string, std::vector<double>>;

// By role, for every context: log of the household's share over everybody's.
Lifts log_lifts(const Table& contexts, const Table& everybody) {
  Lifts lifts;
  for (const Column& shares : everybody.columns) {
    std::vector<double>& lift = lifts[shares.name];
    for (const double share : column_of(contexts, shares.name).numbers)
      lift.push_back(std::log(share / shares.numbers[0]));
  }
  return lifts;
}

// The lifts of a bundle's roles, looked up once.
std::vector<const std::vector<double>*> lifts_of(const Bundle& bundle, const Lifts& lifts) {
  std::vector<const std::vector<double>*> result;
  for (const std::string& role : bundle.roles) {
    const auto found = lifts.find("role_" + role);
    if (found == lifts.end()) {
      throw Error(
          ErrorCode::kInput,
          fmt::format("breakfast_items has a role '{}' that the retail study does not know", role));
    }
    result.push_back(&found->second);
  }
  return result;
}

double habit(const std::vector<const std::vector<double>*>& lifts, std::size_t context) {
  double mean = 0;
  for (const auto* lift : lifts) mean += (*lift)[context] / static_cast<double>(lifts.size());
  return 1 / (1 + std::exp(-mean / 0.25));
}

double novelty(const Bundle& bundle, const Acquaintance& acquaintance, double household,
               double week) {
  const auto is_new = [&](const std::string& item) {
    return !acquaintance.knows(household, item, week);
  };
  return static_cast<double>(std::ranges::count_if(bundle.items, is_new)) /
         static_cast<double>(bundle.items.size());
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
  const Acquaintance acquaintance(derived.first_bought);
  const Lifts lifts = log_lifts(contexts, derived.role_shares);
  const std::vector<double>& household = column_of(contexts, "household").numbers;
  const std::vector<double>& week = column_of(contexts, "week").numbers;
  const std::vector<double>& log_price = column_of(contexts, "breakfast_log_price").numbers;
  const std::vector<double>& private_label = column_of(contexts, "breakfast_private_label").numbers;
  const std::size_t num_factors = journey_factor_names().size();
  std::vector<double> factors(contexts.num_rows * library.size() * num_factors);
  for (std::size_t d = 0; d < library.size(); ++d) {
    const Bundle& bundle = library[d];
    const auto role_lifts = lifts_of(bundle, lifts);
    for (std::size_t i = 0; i < contexts.num_rows; ++i) {
      double* z = &factors[(i * library.size() + d) * num_factors];
      z = std::ranges::copy(bundle.factors, z).out;
      *z++ = habit(role_lifts, i);
      *z++ = std::exp(-std::abs(bundle.log_price - log_price[i]));
      *z++ = 1 - std::abs(bundle.private_label - private_label[i]);
      *z++ = novelty(bundle, acquaintance, household[i], week[i]);
    }
  }
  return factors;
}

}  // namespace otss
