#include "learn/problem/large_problem.hpp"

#include <algorithm>
#include <utility>

namespace otss::internal {

TakenRows taken(LoggedData log, const SumTarget& target, const Box& own_bounds) {
  auto shared = std::make_shared<const LoggedData>(std::move(log));
  Problem problem = whole_problem(*shared, target.family, target.units, own_bounds);
  problem.features = {shared, &shared->features()};
  if (target.quadratic) problem = quadratic_problem(problem);
  return {std::move(shared), std::move(problem)};
}

TakenRows spread_rows(const LoggedData& log, const SumTarget& target, std::size_t num_rows,
                      std::vector<std::size_t>* chosen) {
  std::vector<std::size_t> rows =
      counting_rows_of(log, spread_positions(num_counting_rows(log), num_rows));
  TakenRows some = taken(rows_of(log, rows), target, {});
  if (chosen != nullptr) *chosen = std::move(rows);
  return some;
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
