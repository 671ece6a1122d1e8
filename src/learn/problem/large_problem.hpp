// The problem of a large log, whose rows may be anywhere: copies of some rows, and what is needed to
// fit a mixture to all rows.
#pragma once

#include <memory>
#include <span>

#include "engine/rows.hpp"
#include "learn/problem/problem.hpp"

namespace otss::internal {

// A copy of some rows of a log, and the problem of these rows.
struct TakenRows {
  std::shared_ptr<const LoggedData> log;
  Problem problem;
};

// Returns the problem of these rows. The problem keeps the rows.
TakenRows taken(LoggedData log, const SumTarget& target, const Box& own_bounds);

// Returns a copy of at most `num_rows` rows with a positive weight, spread evenly over the log, as
// subsample() does, but without making the problem of all rows. `chosen`, if not null, becomes the
// numbers of these rows.
TakenRows spread_rows(const LoggedData& log, const SumTarget& target, std::size_t num_rows,
                      std::vector<std::size_t>* chosen = nullptr);

class LargeProblem {
 public:
  // Aims `rows` at the target. `rows` must live longer. `own_bounds` are in the log's units.
  LargeProblem(Rows& rows, const SumTarget& target, Box own_bounds);

  const Rows& rows() const { return rows_; }
  const RowsFacts& facts() const { return rows_.facts(); }
  const SumTarget& target() const { return target_; }

  // Returns a copy of the given rows.
  TakenRows take(std::span<const std::size_t> rows) const;
  // Returns a copy of at most `num_rows` rows with a positive weight, spread evenly over the log, as
  // subsample() does.
  TakenRows spread(std::size_t num_rows) const;
  // Returns a copy of evenly spaced rows, at least `num_rows` and fewer than twice as many: the first
  // row, and every row that is a multiple of some number of rows after it.
  TakenRows evenly_spaced(std::size_t num_rows) const;

 private:
  Rows& rows_;
  SumTarget target_;
  Box own_bounds_;
};

}  // namespace otss::internal
