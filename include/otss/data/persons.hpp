// This header recognises a log in which several rows belong to one person, although no group column
// was given.
#pragma once

#include "otss/data/finding.hpp"
#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"

namespace otss {

// Returns a finding of kind "persons" if rows of the log seem to belong to the same person (or
// household, doctor, shop). There are two signs:
// - a column without a role has the same value in several rows, and these rows have the same
//   contexts;
// - rows come in blocks with the same contexts, although the log is not sorted by a context column.
// Returns no finding if roles.group is given, if the table cannot be read again, or if the table is
// standard input, which can be read only once.
// Only the first rows of the table are read. `roles` must be the LoggedData::roles() of the log,
// which list contexts by name.
Findings find_persons(const TableSource& source, const Roles& roles);

}  // namespace otss
