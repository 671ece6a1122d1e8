// Simulates units with rows of their own. `simulate panel` writes such a log; the study `panel`
// also needs histories of equal length, for units that are not in the log.
#pragma once

#include <vector>

#include "lab/worlds/simulation.hpp"

namespace otss::internal {

// A log, and new units of which each has the same number of earlier rows. The test rows of the
// simulation are one row of each new unit.
struct PanelTrial {
  Simulation simulation;
  // The earlier rows of the new units. The rows of the unit in test row i are the rows from
  // i * history_rows on, the earliest first.
  SimulatedRows histories;
  std::size_t history_rows = 0;
};

// Draws the same log as simulate_panel(), and `new_units` new units.
PanelTrial simulate_panel_trial(const PanelSpec& spec, std::size_t new_units,
                                std::size_t history_rows);

// Returns Σ, the covariance of (v_i, u_i), as a row-major matrix of 1 + J rows.
std::vector<double> panel_covariance(const PanelSpec& spec);

}  // namespace otss::internal
