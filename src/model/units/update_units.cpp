#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/threads.hpp"
#include "model/units/history.hpp"
#include "model/units/state_parts.hpp"
#include "otss/base/error.hpp"
#include "otss/model/unit_states.hpp"

namespace otss::internal {
namespace {

// Units are updated in blocks of this size, in parallel.
constexpr std::size_t kBlockUnits = 256;
// The rows of a unit are fetched while this many other units are being updated.
constexpr std::size_t kUnitsAhead = UnitWorkspace::kMostUnits;

void require_later_rows(const UnitStates::Parts& old, const History& history) {
  if (old.size() == 0) return;
  history.for_each_row([&](const History::Place& place) {
    const std::uint32_t unit = place.unit;
    if (unit >= old.size() || place.row.time() > old.last_times[unit]) return;
    throw Error(
        ErrorCode::kInput,
        fmt::format("'{}': row {}: the row is not later than the last row of unit '{}' in the "
                    "units file, so it is already counted; leave out the rows that the file has "
                    "counted",
                    history.table(), place.number + 1, old.names.texts()[unit]));
  });
}

void check_options(const UnitStates::Parts& old, const UpdateOptions& options) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorCode::kUsage, what); };
  if (options.half_life && !(*options.half_life >= 0 && std::isfinite(*options.half_life)))
    refuse(fmt::format("--half-life {:g}: give a positive number", *options.half_life));
  const bool forgets = options.half_life.value_or(old.half_life) > 0;
  if (forgets && options.time.empty())
    refuse("--half-life needs the time of each row; add --time COL");
  if (old.size() == 0) return;
  if (options.time.empty())
    refuse(
        "--units needs --time COL, because rows that the file has counted are known by their "
        "time; add --time COL");
  if (!old.timed)
    refuse(
        "the units file was made without --time, so rows that it has counted are not known; "
        "make the file again from the whole history, with --time COL");
  if (options.half_life && *options.half_life != old.half_life)
    refuse(
        fmt::format("--half-life {:g}: the units file was made with {}; leave out --half-life, "
                    "or make the file again from the whole history",
                    *options.half_life,
                    old.half_life > 0 ? fmt::format("--half-life {:g}", old.half_life)
                                      : std::string("no half-life")));
}

class Updater {
 public:
  Updater(const UnitStates::Parts& old, History& history, UnitStates::Parts& out)
      : old_(old), history_(history), out_(out) {
    const std::size_t rank = out.model->rank();
    const std::size_t units = out.names.size();
    out.num_rows.resize(units);
    out.last_times.resize(out.timed ? units : 0);
    out.means.resize(units * rank);
    out.factors.resize(units * packed_size(rank));
    out.first_kept.assign(units + 1, 0);
    for (std::size_t unit = 0; unit < units; ++unit) {
      out.first_kept[unit + 1] = out.first_kept[unit] + std::min(num_read(unit), out.keep_rows);
      out.num_rows[unit] = (is_old(unit) ? old.num_rows[unit] : 0) + history.num_rows_of(unit);
    }
    out.kept = RowStore(rank);
    out.kept.resize(out.first_kept.back());
  }

  void run(int threads) {
    const std::size_t units = out_.names.size();
    parallel_for((units + kBlockUnits - 1) / kBlockUnits, threads, [&](std::size_t block) {
      update(block * kBlockUnits, std::min(units, (block + 1) * kBlockUnits));
    });
  }

 private:
  bool is_old(std::size_t unit) const { return unit < old_.size(); }
  std::size_t num_kept_before(std::size_t unit) const {
    return is_old(unit) ? old_.num_kept(unit) : 0;
  }

  // Updates the units from `first` to `end` - 1.
  void update(std::size_t first, std::size_t end) {
    std::vector<std::size_t> units(end - first);
    std::iota(units.begin(), units.end(), first);
    // Units that are computed together should have about the same number of rows.
    std::ranges::stable_sort(units, {}, [&](std::size_t unit) { return num_read(unit); });
    UnitWorkspace workspace(*out_.model);
    std::vector<std::size_t> together;
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (i + kUnitsAhead < units.size()) history_.prefetch(units[i + kUnitsAhead]);
      begin(units[i], workspace, together);
      if (together.size() == UnitWorkspace::kMostUnits) finish(workspace, together);
    }
    finish(workspace, together);
  }

  // Returns the number of rows that the update of a unit reads.
  std::size_t num_read(std::size_t unit) const {
    return num_kept_before(unit) + history_.num_rows_of(unit);
  }

  // Adds the rows of a unit to the workspace, and the unit to `together`.
  void begin(std::size_t unit, UnitWorkspace& workspace, std::vector<std::size_t>& together) {
    const auto rows = history_.rows_of(unit);
    if (out_.timed) {
      sort_by_time(rows);
      out_.last_times[unit] =
          rows.empty() ? old_.last_times[unit] : history_.row(rows.back()).time();
    }
    copy_kept(unit, rows);
    if (rows.empty()) {
      std::ranges::copy(old_.mean(unit), out_.mean(unit).begin());
      std::ranges::copy(old_.factor(unit), out_.factor(unit).begin());
      return;
    }
    const double now = out_.timed ? out_.last_times[unit] : 0;
    if (is_old(unit)) {
      if (!workspace.start(old_, unit, now)) refuse(unit);
      for (std::size_t row = old_.first_kept[unit]; row < old_.first_kept[unit + 1]; ++row)
        add(workspace, old_.kept[row], now);
    } else {
      workspace.start();
    }
    for (const double* row : rows) add(workspace, history_.row(row), now);
    together.push_back(unit);
  }

  // Rows of the same time keep their order.
  void sort_by_time(std::span<const double*> rows) const {
    const auto time = [&](const double* row) { return history_.row(row).time(); };
    if (!std::ranges::is_sorted(rows, {}, time)) std::ranges::stable_sort(rows, {}, time);
  }

  // Computes the posteriors of the units in the workspace.
  void finish(UnitWorkspace& workspace, std::vector<std::size_t>& together) {
    workspace.solve();
    const UnitMoments& posteriors = workspace.posteriors();
    for (std::size_t i = 0; i < together.size(); ++i) {
      const std::size_t unit = together[i];
      if (!posteriors.is_finite(i)) refuse(unit);
      posteriors.copy_mean(i, out_.mean(unit));
      posteriors.copy_factor(i, out_.factor(unit));
      const std::size_t kept = out_.num_kept(unit);
      const std::size_t first = num_read(unit) - kept;
      for (std::size_t k = 0; k < kept; ++k)
        out_.kept.site(out_.first_kept[unit] + k) = posteriors.site(i, first + k);
    }
    workspace.clear();
    together.clear();
  }

  [[noreturn]] void refuse(std::size_t unit) const {
    throw Error(ErrorCode::kInput,
                fmt::format("'{}': the numbers of unit '{}' are too large to learn from; check "
                            "its rows",
                            history_.table(), out_.names.texts()[unit]));
  }

  void add(UnitWorkspace& workspace, StoredRow row, double now) const {
    const double age = out_.timed ? now - row.time() : 0;
    workspace.add(row, row.weight() * out_.strength(age));
  }

  // Copies the last rows of the unit, of those that were kept before and of the new ones.
  void copy_kept(std::size_t unit, std::span<const double* const> rows) {
    const std::size_t before = num_kept_before(unit);
    const std::size_t there = before + rows.size();
    std::size_t to = out_.first_kept[unit];
    for (std::size_t i = there - out_.num_kept(unit); i < there; ++i, ++to) {
      const StoredRow from =
          i < before ? old_.kept[old_.first_kept[unit] + i] : history_.row(rows[i - before]);
      out_.kept[to].assign(from);
    }
  }

  const UnitStates::Parts& old_;
  History& history_;  // the updater sorts the rows of each unit
  UnitStates::Parts& out_;
};

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

UnitStates update_units(const UnitStates& states, const TableSource& history,
                        const UpdateOptions& options) {
  const UnitStates::Parts& old = states.parts();
  check_options(old, options);
  auto parts = std::make_shared<UnitStates::Parts>();
  parts->model = old.model;
  parts->names = old.names;
  parts->timed = !options.time.empty();
  parts->half_life = options.half_life.value_or(old.half_life);
  parts->keep_rows = options.keep_rows.value_or(old.keep_rows);
  History rows(*parts->model, history, options, parts->names);
  if (parts->timed) require_later_rows(old, rows);
  Updater(old, rows, *parts).run(options.threads);
  return UnitStates(std::move(parts));
}

}  // namespace otss
