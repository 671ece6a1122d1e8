// Derives the tables of the study from a folder of raw tables. The SQL of each step is in sql/.
#pragma once

#include <string>

#include "lab/journey/journey.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {

struct DerivedTables {
  Table train, test;   // household, week, and the context columns
  Table bundles;       // items and roles (joined by '+'), log_price, and the static factors
  Table first_bought;  // household, item, week
  Table role_shares;   // one row: role_milk … role_spread over all households
  JourneyCounts counts;
};

DerivedTables derive_journey(const std::string& folder, const JourneySizes& sizes);

// Returns the column of a table that has this name.
const Column& column_of(const Table& table, std::string_view name);

}  // namespace otss::internal
