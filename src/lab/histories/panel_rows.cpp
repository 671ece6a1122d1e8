#include "lab/histories/panel_rows.hpp"

#include <algorithm>

namespace otss::internal {

std::vector<UnitRowNumbers> rows_of_units(const SimulatedRows& rows) {
  std::vector<UnitRowNumbers> result(1 + *std::ranges::max_element(rows.units));
  for (std::size_t row = 0; row < rows.num_rows; ++row) result[rows.units[row]].push_back(row);
  return result;
}

std::vector<WithinUnits> folds_within_units(const SimulatedRows& rows) {
  const std::vector<UnitRowNumbers> units = rows_of_units(rows);
  std::vector<WithinUnits> folds(kFolds, {std::vector<UnitRowNumbers>(units.size()),
                                          std::vector<UnitRowNumbers>(units.size())});
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      const bool can_be_held_out = units[unit].size() > 1;
      for (std::size_t i = 0; i < units[unit].size(); ++i) {
        const bool held_out = can_be_held_out && (i + unit) % kFolds == fold;
        auto& part = held_out ? folds[fold].held_out : folds[fold].fitted;
        part[unit].push_back(units[unit][i]);
      }
    }
  }
  return folds;
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
