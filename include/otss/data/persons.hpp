// This header recognises a log in which several rows belong to one person, although no group column
// was given.
#pragma once

#include "otss/data/finding.hpp"
#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"

namespace otss {

// Returns a finding of kind "persons" if rows of the log seem to belong to the same person (or
// household, doctor, shop). There are two signs:
// - an unused column repeats, and the contexts of the rows with one of its values are the same;
// - rows come in blocks with the same contexts, although the log is not sorted by its contexts.
// Returns no finding if roles.group is given, and none if the table cannot be read in this way, or
// only once, as standard input.
// Only the first rows of the table are read. `roles` are those of LoggedData::roles(), in which
// contexts are listed by name.
Findings find_persons(const TableSource& source, const Roles& roles);

}  // namespace otss
