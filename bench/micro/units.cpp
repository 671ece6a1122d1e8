// Speed of what is learned from the rows of units: one unit's update, and the update of many units
// from a table. Every result is verified before time is measured.
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "model/fitted_parts.hpp"
#include "model/units/packed_cholesky.hpp"
#include "model/units/state_parts.hpp"
#include "model/units/unit_model.hpp"
#include "otss/data/table.hpp"
#include "otss/model/unit_states.hpp"
#include "timing.hpp"

namespace {

using namespace otss;
using namespace otss::internal;
using bench::best_seconds;

constexpr int kContexts = 6;  // p
constexpr int kFactors = 8;   // J
constexpr int kExperts = 3;   // K
constexpr int kRows = 10;     // rows of a unit
constexpr int kThreads = 2;
constexpr std::size_t kUnits = 100'000;

void require(bool holds, std::string_view claim) {
  if (holds) return;
  fmt::print(stderr, "wrong answer: {}\n", claim);
  std::exit(1);
}

void print_row(std::string_view what, const std::string& measured, std::string_view bar, bool met) {
  fmt::print("| {:<60} | {:>18} | {:>16} | {:<6} |\n", what, measured, bar, met ? "met" : "missed");
}

std::vector<double> draws(std::size_t count, Rng& rng) {
  std::vector<double> result(count);
  for (double& value : result) value = rng.normal();
  return result;
}

Fitted make_model(Rng& rng) {
  Fitted::Parts parts;
  parts.roles.outcome = "y";
  parts.roles.unit = "who";
  for (int i = 0; i < kContexts; ++i)
    parts.encoder.contexts.push_back({.name = fmt::format("x{}", i), .scale = 1});
  for (int j = 0; j < kFactors; ++j)
    parts.encoder.factors.push_back({.name = fmt::format("z{}", j)});
  parts.scorer = std::make_shared<SoftMixture>(
      LinearGate(kContexts, draws(kContexts * kExperts, rng), draws(kExperts, rng)), kFactors,
      draws(kFactors * kExperts, rng));
  parts.baseline.slopes = draws(kContexts, rng);
  parts.baseline.expert_intercepts = draws(kExperts, rng);
  parts.deviations = Deviations{DeviationForm::kFull, 1 + kFactors, {}};
  for (int i = 0; i <= kFactors; ++i) {
    for (int j = 0; j <= kFactors; ++j) parts.deviations->covariance.push_back(i == j ? 0.36 : 0.1);
  }
  return Fitted(std::move(parts));
}

// Writes rows of `kUnits` units in the order of time, so that the rows of a unit are far apart.
void write_table(const std::string& path, Rng& rng) {
  std::vector<ColumnInfo> columns{{"who", ColumnKind::kText}, {"t", ColumnKind::kNumber}};
  for (int i = 0; i < kContexts; ++i)
    columns.push_back({fmt::format("x{}", i), ColumnKind::kNumber});
  for (int j = 0; j < kFactors; ++j)
    columns.push_back({fmt::format("z{}", j), ColumnKind::kNumber});
  columns.push_back({"y", ColumnKind::kNumber});
  TableWriter writer(path, columns);
  constexpr std::size_t kChunk = 2000;
  for (std::size_t first = 0; first < kUnits * kRows; first += kChunk) {
    std::vector<std::string> names;
    std::vector<double> times, outcomes;
    for (std::size_t i = first; i < first + kChunk; ++i) {
      names.push_back(fmt::format("u{}", i % kUnits));
      times.push_back(static_cast<double>(i / kUnits));
      outcomes.push_back(rng.uniform() < 0.5 ? 1 : 0);
    }
    const std::vector<std::string_view> texts(names.begin(), names.end());
    std::vector<std::vector<double>> numbers;
    for (int c = 0; c < kContexts + kFactors; ++c) numbers.push_back(draws(kChunk, rng));
    TableChunk chunk{
        first, kChunk, {{ColumnKind::kText, {}, texts}, {ColumnKind::kNumber, times, {}}}};
    for (const auto& column : numbers) chunk.columns.push_back({ColumnKind::kNumber, column, {}});
    chunk.columns.push_back({ColumnKind::kNumber, outcomes, {}});
    writer.write(chunk);
  }
  writer.commit();
}

// Random rows of many units, so that neither branches nor caches know one of them by heart.
class ManyUnits {
 public:
  static constexpr std::size_t kMany = 1000;

  ManyUnits(std::size_t rank, Rng& rng)
      : rank_(rank),
        directions_(draws(kMany * kRows * rank, rng)),
        offsets_(draws(kMany * kRows, rng)) {
    for (double& entry : directions_) entry *= 0.6;
    for (std::size_t i = 0; i < offsets_.size(); ++i)
      outcomes_.push_back(rng.uniform() < 0.5 ? 1 : 0);
  }
  UnitRows rows(std::size_t unit) const {
    return {std::span(directions_).subspan(unit * kRows * rank_, kRows * rank_),
            std::span(offsets_).subspan(unit * kRows, kRows),
            std::span(outcomes_).subspan(unit * kRows, kRows)};
  }

 private:
  std::size_t rank_;
  std::vector<double> directions_, offsets_, outcomes_;
};

// The mean of e is that of importance sampling: the prior's draws, weighted by the likelihood.
void require_mean(const Fitted& fitted, const UnitRows& rows, const UnitMoments& posteriors,
                  Rng& rng) {
  const std::size_t rank = posteriors.rank();
  std::vector<double> found(rank), mean(rank, 0.0);
  posteriors.copy_mean(0, found);
  double total = 0;
  for (int draw = 0; draw < 200'000; ++draw) {
    const std::vector<double> e = draws(rank, rng);
    double loss = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      double eta = rows.offsets[r];
      for (std::size_t i = 0; i < rank; ++i) eta += rows.directions[r * rank + i] * e[i];
      loss += fitted.family().loss(eta, rows.outcomes[r]);
    }
    total += std::exp(-loss);
    for (std::size_t i = 0; i < rank; ++i) mean[i] += std::exp(-loss) * e[i];
  }
  for (std::size_t i = 0; i < rank; ++i)
    require(std::abs(found[i] - mean[i] / total) < 0.05, "the posterior mean is right");
}

void bench_one_unit(const Fitted& fitted, Rng& rng) {
  const UnitModel model(fitted);
  UnitMoments posteriors = model.make_moments();
  const ManyUnits units(model.rank(), rng);
  const auto compute = [&](std::size_t first, std::size_t count) {
    posteriors.clear();
    for (std::size_t unit = first; unit < first + count; ++unit) posteriors.add(units.rows(unit));
    posteriors.compute();
    for (std::size_t unit = 0; unit < count; ++unit)
      require(posteriors.is_finite(unit) && posteriors.converged(unit),
              "a unit's posterior exists");
  };
  compute(0, 1);
  require_mean(fitted, units.rows(0), posteriors, rng);
  for (const std::size_t together : {std::size_t{1}, UnitMoments::kMostUnits}) {
    const double seconds = best_seconds([&] {
      for (std::size_t unit = 0; unit < ManyUnits::kMany; unit += together) compute(unit, together);
    });
    const double micro = 1e6 * seconds / ManyUnits::kMany;
    print_row(fmt::format("one unit's update, 10 rows, 8 factors, {} together", together),
              fmt::format("{:.2f} µs", micro), "<= 15 µs", micro <= 15);
  }
}

void bench_table(const Fitted& fitted, Rng& rng) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "otss-bench-units";
  std::filesystem::create_directories(folder);
  const std::string table = (folder / "history.parquet").string();
  const std::string file = (folder / "units.parquet").string();
  write_table(table, rng);
  const UpdateOptions options{.unit = "who", .time = "t", .threads = kThreads};
  const auto update = [&] {
    return update_units(UnitStates(fitted), {.path = table, .threads = kThreads}, options);
  };
  const UnitStates states = update();
  require(states.num_units() == kUnits && states.num_rows(0) == kRows, "every row is counted");
  const auto rate = [&](std::string_view what, double seconds) {
    const double per_second = static_cast<double>(kUnits) / seconds;
    print_row(what, fmt::format("{:.0f} units/s", per_second), ">= 200,000", per_second >= 2e5);
  };
  const double seconds = best_seconds(update);
  rate("update_units from Parquet, 2 threads", seconds);
  const double saving = best_seconds([&] { save_units(states, file, kThreads); });
  rate("save_units to Parquet, 2 threads", saving);
  rate("otss units: both", seconds + saving);
  rate("load_units", best_seconds([&] { load_units(fitted, file); }));
  std::filesystem::remove_all(folder);
}

}  // namespace

int main() {
  Rng rng(7);
  const Fitted fitted = make_model(rng);
  print_row("units", "measured", "bar", true);
  bench_one_unit(fitted, rng);
  bench_table(fitted, rng);
}
