// Gives the rows of a trial in the forms that the methods with a history need.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "lab/worlds/panel.hpp"

namespace otss::internal {

// The numbers of some rows of a unit.
using UnitRowNumbers = std::vector<std::size_t>;

// Returns the row numbers of each unit of the log, by the number of the unit, the earliest first.
std::vector<UnitRowNumbers> rows_of_units(const SimulatedRows& rows);

// The rows of the log, divided within units. Each vector has one entry per unit.
struct WithinUnits {
  std::vector<UnitRowNumbers> fitted, held_out;
};
// Returns divisions that hold out each row once, together with every kFolds-th row of its unit. The
// row of a unit that has only one row is never held out.
inline constexpr std::size_t kFolds = 4;
std::vector<WithinUnits> folds_within_units(const SimulatedRows& rows);

// Returns the first `count` earlier rows of the unit in a test row.
UnitRowNumbers history_of(const PanelTrial& trial, std::size_t test_row, std::size_t count);

// Returns one column (1, z) per row number: what the deviation of a unit multiplies.
Eigen::MatrixXd unit_design(const Simulation& simulation, const SimulatedRows& rows,
                            const UnitRowNumbers& numbers);
// Returns the outcomes of these rows.
Eigen::VectorXd outcomes_of(const SimulatedRows& rows, const UnitRowNumbers& numbers);
// Returns the context of a row.
Eigen::VectorXd context_of(const Simulation& simulation, const SimulatedRows& rows,
                           std::size_t row);

// Calls loss(setting) for each setting, and returns the setting with the least loss.
template <class Setting, class Loss>
Setting least_loss(const std::vector<Setting>& settings, const Loss& loss) {
  Setting best = settings.front();
  double least = loss(best);
  for (std::size_t i = 1; i < settings.size(); ++i) {
    const double reached = loss(settings[i]);
    if (reached < least) {
      least = reached;
      best = settings[i];
    }
  }
  return best;
}

}  // namespace otss::internal
