#include "learn/problem/large_problem.hpp"

#include <algorithm>
#include <utility>

namespace otss::internal {

TakenRows taken(LoggedData log, const SumTarget& target, const Box& own_bounds) {
  auto shared = std::make_shared<const LoggedData>(std::move(log));
  Problem problem = whole_problem(*shared, target.family, target.units, own_bounds);
  if (target.quadratic) problem = quadratic_problem(problem);
  return {std::move(shared), std::move(problem)};
}

LargeProblem::LargeProblem(Rows& rows, const SumTarget& target, Box own_bounds)
    : rows_(rows), target_(target), own_bounds_(std::move(own_bounds)) {
  rows_.aim(target_);
}

TakenRows LargeProblem::take(std::span<const std::size_t> rows) const {
  return taken(rows_.take(rows), target_, own_bounds_);
}

TakenRows LargeProblem::spread(std::size_t num_rows) const {
  return take(rows_.counting_rows(spread_positions(facts().num_counting, num_rows)));
}

TakenRows LargeProblem::evenly_spaced(std::size_t num_rows) const {
  const std::size_t step = std::max<std::size_t>(1, facts().num_rows / num_rows);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < facts().num_rows; row += step) rows.push_back(row);
  return take(rows);
}

}  // namespace otss::internal
