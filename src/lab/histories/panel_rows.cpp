#include "lab/histories/panel_rows.hpp"

#include <algorithm>

namespace otss::internal {

std::vector<UnitRowNumbers> rows_of_units(const SimulatedRows& rows) {
  std::vector<UnitRowNumbers> result(1 + *std::ranges::max_element(rows.units));
  for (std::size_t row = 0; row < rows.num_rows; ++row) result[rows.units[row]].push_back(row);
  return result;
}

WithinUnits hold_out_last_rows(const SimulatedRows& rows) {
  WithinUnits result{rows_of_units(rows), {}};
  result.held_out.resize(result.fitted.size());
  for (std::size_t unit = 0; unit < result.fitted.size(); ++unit) {
    UnitRowNumbers& fitted = result.fitted[unit];
    if (fitted.size() < 2) continue;
    result.held_out[unit].push_back(fitted.back());
    fitted.pop_back();
  }
  return result;
}

UnitRowNumbers history_of(const PanelTrial& trial, std::size_t test_row, std::size_t count) {
  UnitRowNumbers numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(test_row * trial.history_rows + i);
  return numbers;
}

Eigen::MatrixXd unit_design(const Simulation& s, const SimulatedRows& rows,
                            const UnitRowNumbers& numbers) {
  Eigen::MatrixXd design(1 + s.num_factors, numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::span<const double> z = s.logged_factors(rows, numbers[i]);
    const auto column = static_cast<Eigen::Index>(i);
    design(0, column) = 1;
    design.col(column).tail(s.num_factors) =
        Eigen::Map<const Eigen::VectorXd>(z.data(), s.num_factors);
  }
  return design;
}

Eigen::VectorXd outcomes_of(const SimulatedRows& rows, const UnitRowNumbers& numbers) {
  Eigen::VectorXd outcomes(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    outcomes[static_cast<Eigen::Index>(i)] = rows.outcomes[numbers[i]];
  return outcomes;
}

Eigen::VectorXd context_of(const Simulation& s, const SimulatedRows& rows, std::size_t row) {
  return Eigen::Map<const Eigen::VectorXd>(&rows.contexts[row * s.num_contexts], s.num_contexts);
}

}  // namespace otss::internal
