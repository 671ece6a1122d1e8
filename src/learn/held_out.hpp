// Out-of-sample losses: the only yardstick by which settings are chosen.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "learn/mixture_fit.hpp"
#include "otss/data/logged_data.hpp"

namespace otss {

// Which rows are held out when. Fold f trains on every row whose number is not f and scores the rows whose number is;
// a row with kNeverHeldOut only trains.
struct Folds {
  static constexpr std::uint8_t kNeverHeldOut = 255;
  int count = 0;
  std::vector<std::uint8_t> of_row;

  Problem training(const Problem& problem, int fold) const;
  Problem held_out(const Problem& problem, int fold) const;
};

struct Setting {
  int experts = 1;
  Penalty penalty;
};

// Per-row losses of each setting on the rows held out; NaN where a row never is.
struct HeldOut {
  std::vector<Setting> settings;
  std::vector<std::vector<double>> row_loss;  // setting × row
  std::vector<double> mean;                   // setting, weighted by the rows' weights
};

// Fits every setting on every fold. Settings of one K are fitted in the order given, each from the last one's optimum:
// order them from weak to strong penalties, since a strongly penalised mixture collapses onto the saddle where all
// experts agree and does not come back.
HeldOut score_held_out(const Problem& problem, const Folds& folds, const std::vector<Setting>& settings,
                       int num_threads, const std::function<void(double fraction)>& progress);

// Weighted mean of (a - b) over the rows where both are known, with its standard error.
struct PairedGain {
  double gain = 0;
  double standard_error = 0;
};
PairedGain paired_gain(const Problem& problem, std::span<const double> a, std::span<const double> b);

}  // namespace otss
