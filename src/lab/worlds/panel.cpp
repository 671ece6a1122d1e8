#include "lab/worlds/panel.hpp"

#include <fmt/core.h>

#include <cmath>
#include <numeric>

#include "lab/worlds/score_gate.hpp"
#include "lab/worlds/world.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// The first kOwnContexts columns describe the unit and are the same in all of its rows. The other
// columns differ from row to row.
constexpr int kPanelContexts = 6, kOwnContexts = 4;
constexpr int kCauses = 2;  // what makes the entries of (v, u) correlated
constexpr std::size_t kPanelLibrary = 20, kKnownTestRows = 2000, kNewTestRows = 1000;
constexpr int kMostRows = 100'000'000;
constexpr double kPanelTop = 0.8;  // mean over contexts of the largest share
constexpr double kCommonNorm = 1.2, kOwnNorm = 1.8, kPanelBaseline = 0.5;

struct PanelUnit {
  std::size_t number;
  std::vector<double> context;    // the kOwnContexts columns
  std::vector<double> deviation;  // v, then u
  std::size_t num_rows;
};

class PanelWorld {
 public:
  explicit PanelWorld(const PanelSpec& spec) : spec_(spec) {
    Rng rng = world_rng(spec.seed, WorldStream::kWorld);
    draw_experts(rng);
    std::vector<double> slopes;
    for (int k = 0; k < spec.experts; ++k) {
      const std::vector<double> u = random_unit(rng, kPanelContexts);
      slopes.insert(slopes.end(), u.begin(), u.end());
    }
    gate_ = ScoreGate(kPanelContexts, std::move(slopes));
    empty_.library = random_library(rng, kPanelLibrary, spec_.factors);
    baseline_ = random_unit(rng, kPanelContexts, kPanelBaseline);
    for (int entry = 0; entry < num_deviations(); ++entry) {
      const std::vector<double> a = random_unit(rng, kCauses);
      loadings_.insert(loadings_.end(), a.begin(), a.end());
    }
    Rng calibration = world_rng(spec.seed, WorldStream::kCalibration);
    if (spec.experts > 1) gate_.soften_to(kPanelTop, calibration);
  }

  // Returns the world as a simulation without rows.
  const Simulation& empty() const { return empty_; }

  // Returns Σ = spread² (I + A A') / 2, where each row of A has norm 1. Thus every entry has the
  // variance spread², and the correlation of two entries is half the product of their rows of A.
  std::vector<double> covariance() const {
    const int size = num_deviations();
    std::vector<double> sigma(static_cast<std::size_t>(size) * size);
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) {
        double entry = i == j ? 1 : 0;
        for (int c = 0; c < kCauses; ++c)
          entry += loadings_[i * kCauses + c] * loadings_[j * kCauses + c];
        sigma[i * size + j] = spec_.spread * spec_.spread * entry / 2;
      }
    }
    return sigma;
  }

  // The number of rows has a geometric distribution with the mean spec.rows: most histories are
  // short, and few are long.
  PanelUnit draw_unit(std::size_t number, Rng& rng) const {
    PanelUnit unit{number, std::vector<double>(kOwnContexts), std::vector<double>(num_deviations()),
                   1};
    draw_standard_normal(rng, unit.context);
    std::vector<double> causes(kCauses);
    draw_standard_normal(rng, causes);
    for (int i = 0; i < num_deviations(); ++i) {
      double entry = rng.normal();
      for (int c = 0; c < kCauses; ++c) entry += loadings_[i * kCauses + c] * causes[c];
      unit.deviation[i] = spec_.spread * entry / std::sqrt(2.0);
    }
    const double later = 1 - 1.0 / spec_.rows;  // probability of one more row
    const double draw = 1 - rng.uniform();
    if (later > 0) unit.num_rows += static_cast<std::size_t>(std::log(draw) / std::log(later));
    return unit;
  }

  // Appends a row of the unit to `rows`.
  void log_row(const PanelUnit& unit, double time, SimulatedRows& rows, Rng& rng) const {
    const std::size_t row = rows.num_rows++;
    rows.units.push_back(unit.number);
    rows.groups.push_back(static_cast<double>(unit.number));
    rows.times.push_back(time);
    rows.contexts.insert(rows.contexts.end(), unit.context.begin(), unit.context.end());
    for (int j = kOwnContexts; j < kPanelContexts; ++j) rows.contexts.push_back(rng.normal());
    const auto x = std::span(rows.contexts).subspan(row * kPanelContexts);
    rows.shares.resize(rows.num_rows * spec_.experts);
    gate_.shares(x, std::span(rows.shares).subspan(row * spec_.experts));
    rows.weights.insert(rows.weights.end(), unit.deviation.begin() + 1, unit.deviation.end());
    const double baseline =
        std::inner_product(x.begin(), x.end(), baseline_.begin(), unit.deviation.front());
    log_decision(empty_, {rng.below(kPanelLibrary), 1.0 / kPanelLibrary}, baseline, rows, rng);
  }

 private:
  int num_deviations() const { return 1 + spec_.factors; }  // entries of (v, u)

  void draw_experts(Rng& rng) {
    empty_.num_contexts = kPanelContexts;
    empty_.num_factors = spec_.factors;
    empty_.num_experts = spec_.experts;
    const std::vector<double> common = random_unit(rng, spec_.factors, kCommonNorm);
    for (int k = 0; k < spec_.experts; ++k) {
      const std::vector<double> own = random_unit(rng, spec_.factors, kOwnNorm);
      for (int j = 0; j < spec_.factors; ++j) empty_.experts.push_back(common[j] + own[j]);
    }
  }

  PanelSpec spec_;
  Simulation empty_;
  ScoreGate gate_{kPanelContexts, {}};
  std::vector<double> baseline_;
  std::vector<double> loadings_;  // A: num_deviations() × kCauses
};

std::vector<PanelUnit> draw_units(const PanelWorld& world, std::size_t first, std::size_t count,
                                  std::uint64_t seed, WorldStream stream) {
  Rng rng = world_rng(seed, stream);
  std::vector<PanelUnit> units;
  for (std::size_t i = 0; i < count; ++i) units.push_back(world.draw_unit(first + i, rng));
  return units;
}

// Draws the rows of all units in random order. The time of a row is its number, from 1.
SimulatedRows draw_log(const PanelWorld& world, const std::vector<PanelUnit>& units, Rng& rng) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < units.size(); ++i) order.insert(order.end(), units[i].num_rows, i);
  rng.shuffle(std::span(order));
  SimulatedRows rows;
  for (const std::size_t unit : order)
    world.log_row(units[unit], static_cast<double>(rows.num_rows + 1), rows, rng);
  return rows;
}

// Draws one row of each of these units, later than `time`.
SimulatedRows draw_later_rows(const PanelWorld& world, const std::vector<PanelUnit>& units,
                              double time, Rng& rng) {
  SimulatedRows rows;
  for (const PanelUnit& unit : units) world.log_row(unit, ++time, rows, rng);
  return rows;
}

Json matrix_json(const std::vector<double>& matrix, int width) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < matrix.size(); i += width)
    rows.push_back(std::vector<double>(matrix.begin() + static_cast<std::ptrdiff_t>(i),
                                       matrix.begin() + static_cast<std::ptrdiff_t>(i) + width));
  return rows;
}

void refuse_too_many_rows(const PanelSpec& spec) {
  if (static_cast<double>(spec.units) * spec.rows <= kMostRows) return;
  throw Error(
      ErrorCode::kUsage,
      fmt::format("--units {} with --rows {} makes a log of more than {} rows; choose fewer "
                  "units or rows",
                  spec.units, spec.rows, kMostRows));
}

Simulation draw_panel_log(const PanelWorld& world, const PanelSpec& spec,
                          const std::vector<PanelUnit>& units) {
  Simulation s = world.empty();
  Rng rng = world_rng(spec.seed, WorldStream::kTrain);
  s.train = draw_log(world, units, rng);
  s.spec = {
      {"generator", "panel"},    {"units", spec.units},
      {"rows", spec.rows},       {"spread", spec.spread},
      {"experts", spec.experts}, {"factors", spec.factors},
      {"seed", spec.seed},       {"covariance", matrix_json(world.covariance(), 1 + spec.factors)}};
  return s;
}

}  // namespace

Simulation simulate_panel(const PanelSpec& spec) {
  refuse_too_many_rows(spec);
  const PanelWorld world(spec);
  const std::vector<PanelUnit> known =
      draw_units(world, 0, spec.units, spec.seed, WorldStream::kKnownUnits);
  Simulation s = draw_panel_log(world, spec, known);
  Rng rng = world_rng(spec.seed, WorldStream::kTest);
  std::vector<PanelUnit> tested =
      draw_units(world, spec.units, kNewTestRows, spec.seed, WorldStream::kNewUnits);
  for (std::size_t i = 0; i < kKnownTestRows; ++i) tested.push_back(known[rng.below(known.size())]);
  s.test = draw_later_rows(world, tested, s.train.times.back(), rng);
  return s;
}

PanelTrial simulate_panel_trial(const PanelSpec& spec, std::size_t new_units,
                                std::size_t history_rows) {
  const PanelWorld world(spec);
  const std::vector<PanelUnit> known =
      draw_units(world, 0, spec.units, spec.seed, WorldStream::kKnownUnits);
  PanelTrial trial{draw_panel_log(world, spec, known), {}, history_rows};
  const std::vector<PanelUnit> tested =
      draw_units(world, spec.units, new_units, spec.seed, WorldStream::kNewUnits);
  Rng rng = world_rng(spec.seed, WorldStream::kHistories);
  double time = trial.simulation.train.times.back();
  for (const PanelUnit& unit : tested) {
    for (std::size_t row = 0; row < history_rows; ++row)
      world.log_row(unit, ++time, trial.histories, rng);
  }
  Rng test = world_rng(spec.seed, WorldStream::kTest);
  trial.simulation.test = draw_later_rows(world, tested, time, test);
  return trial;
}

std::vector<double> panel_covariance(const PanelSpec& spec) {
  return PanelWorld(spec).covariance();
}

}  // namespace otss::internal
