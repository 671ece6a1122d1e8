// From the folder of raw tables to those the study is made of. The SQL of each step is in sql/.
#pragma once

#include <string>

#include "lab/journey/journey.hpp"
#include "otss/data/table.hpp"

namespace otss {

struct DerivedTables {
  Table train, test;   // household, week, and the context columns
  Table bundles;       // items and roles joined by '+', log_price, and the static factors
  Table first_bought;  // household, item, week
  Table role_shares;   // one row: role_milk … role_spread of everybody
  JourneyCounts counts;
};

DerivedTables derive_journey(const std::string& folder, const JourneySizes& sizes);

// The columns of a table by name.
const Column& column_of(const Table& table, std::string_view name);

}  // namespace otss
