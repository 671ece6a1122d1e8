// Derives the tables of the study from a folder of raw tables. The SQL of each step is in sql/.
#pragma once

#include <string>

#include "lab/journey/journey.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {

struct DerivedTables {
  // The training and test contexts. The columns are household, week and the context columns.
  Table train, test;
  // The columns are items and roles (joined by '+'), log_price and the static factors
  // (bundles.hpp).
  Table bundles;
  // The columns are household, item, and the week in which the household first bought the item.
  Table first_bought;
  // One row with the share of each role over all households, in the columns role_milk to role_spread.
  Table role_shares;
  JourneyCounts counts;
};

DerivedTables derive_journey(const std::string& folder, const JourneySizes& sizes);

// Returns the column called `name`.
const Column& column_of(const Table& table, std::string_view name);

}  // namespace otss::internal
