#include "lab/journey/bundles.hpp"
#include "lab/journey/derivation.hpp"
#include "lab/journey/factors.hpp"
#include "lab/journey/journey.hpp"
#include "lab/journey/standardizer.hpp"

namespace otss::internal {
namespace {

constexpr double kLimit = 3;            // standardised values are clipped to ±kLimit
constexpr std::size_t kKeyColumns = 2;  // the first columns: household and week

std::vector<double> context_matrix(const Table& contexts) {
  const std::size_t width = contexts.columns.size() - kKeyColumns;
  std::vector<double> x(contexts.num_rows * width);
  for (std::size_t j = 0; j < width; ++j) {
    const std::vector<double>& column = contexts.columns[kKeyColumns + j].numbers;
    for (std::size_t i = 0; i < contexts.num_rows; ++i) x[i * width + j] = column[i];
  }
  return x;
}

JourneyRows keys(const Table& contexts) {
  JourneyRows rows;
  rows.households = column_of(contexts, "household").numbers;
  rows.weeks = column_of(contexts, "week").numbers;
  return rows;
}

JourneyData with_library(const DerivedTables& derived, const std::vector<Bundle>& library) {
  JourneyData data;
  data.counts = derived.counts;
  data.factor_names = journey_factor_names();
  for (std::size_t c = kKeyColumns; c < derived.train.columns.size(); ++c)
    data.context_names.push_back(derived.train.columns[c].name);
  for (const Bundle& bundle : library) data.library.push_back(bundle.name);

  std::vector<double> x = context_matrix(derived.train);
  std::vector<double> z = journey_factors(derived.train, library, derived);
  const Standardizer contexts(x, data.context_names.size());
  const Standardizer factors(z, data.factor_names.size());
  const auto standardized = [&](const Table& table, std::vector<double> raw_contexts,
                                std::vector<double> raw_factors) {
    JourneyRows rows = keys(table);
    contexts.apply(raw_contexts, kLimit);
    factors.apply(raw_factors, kLimit);
    rows.contexts = std::move(raw_contexts);
    rows.decisions = decisions_by_row(rows.num_rows(), static_cast<int>(data.factor_names.size()),
                                      std::move(raw_factors));
    return rows;
  };
  data.train = standardized(derived.train, std::move(x), std::move(z));
  data.test = standardized(derived.test, context_matrix(derived.test),
                           journey_factors(derived.test, library, derived));
  return data;
}

}  // namespace

JourneyData load_journey(const std::string& folder, const JourneySizes& sizes) {
  return std::move(load_journey_libraries(folder, 1, sizes).front());
}

std::vector<JourneyData> load_journey_libraries(const std::string& folder, std::size_t count,
                                                const JourneySizes& sizes) {
  const DerivedTables derived = derive_journey(folder, sizes);
  const std::vector<Bundle> bundles = read_bundles(derived.bundles);
  std::vector<JourneyData> result = {with_library(derived, spread_bundles(bundles, sizes.library))};
  while (result.size() < count)
    result.push_back(with_library(derived, sampled_bundles(bundles, sizes.library, result.size())));
  return result;
}

}  // namespace otss::internal
