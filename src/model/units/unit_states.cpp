#include "otss/model/unit_states.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "data/log/fingerprint.hpp"
#include "model/units/state_parts.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {

UnitWorkspace::UnitWorkspace(const UnitModel& model)
    : moments_(model.make_moments()),
      precision_(packed_size(model.rank())),
      information_(model.rank()) {}

bool UnitWorkspace::start(const UnitStates::Parts& states, std::size_t unit, double time) {
  if (states.num_summarised(unit) == 0) {
    start();
    return true;
  }
  const std::size_t rank = information_.size();
  const std::span<const double> factor = states.factor(unit);
  // precision_ becomes L L', the precision of all rows and the prior.
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= j; ++k)
        sum += factor[packed_size(i) + k] * factor[packed_size(j) + k];
      precision_[packed_size(i) + j] = sum;
    }
  }
  multiply_packed(precision_, states.mean(unit), information_);
  for (std::size_t row = states.first_kept[unit]; row < states.first_kept[unit + 1]; ++row)
    remove(states.kept.site(row), states.kept[row].direction());
  // Forgetting weakens what the rows said. It does not weaken the prior, which is I.
  const double strength = states.strength(states.timed ? time - states.last_times[unit] : 0);
  for (double& entry : information_) entry *= strength;
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double& entry = precision_[packed_size(i) + j];
      entry = i == j ? 1 + strength * (entry - 1) : strength * entry;
      if (!std::isfinite(entry)) return false;
    }
  }
  const NaturalNormal summary{precision_, information_};
  begin(&summary);
  return true;
}

void UnitWorkspace::remove(const Site& site, std::span<const double> direction) {
  double* entries = precision_.data();
  for (std::size_t i = 0; i < direction.size(); entries += ++i) {
    information_[i] -= site.information * direction[i];
    for (std::size_t j = 0; j <= i; ++j) entries[j] -= site.precision * direction[i] * direction[j];
  }
}

namespace {

// Returns the number of kept rows of a unit that are earlier than `time`.
std::size_t num_earlier(const UnitStates::Parts& parts, std::size_t unit, double time) {
  std::size_t row = parts.first_kept[unit];
  while (row < parts.first_kept[unit + 1] && parts.kept[row].time() < time) ++row;
  return row - parts.first_kept[unit];
}

void require_usable(bool usable, const UnitStates::Parts& parts, std::size_t unit) {
  if (usable) return;
  throw Error(
      ErrorCode::kInput,
      fmt::format("the numbers of unit '{}' are too large to learn from; check its rows, or "
                  "make the units file again",
                  parts.names.texts()[unit]));
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

UnitStates::UnitStates(const Fitted& fitted) {
  auto parts = std::make_shared<Parts>();
  parts->model = std::make_shared<const UnitModel>(fitted);
  parts->kept = RowStore(parts->model->rank());
  parts_ = std::move(parts);
}

UnitStates::UnitStates(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

const Fitted& UnitStates::fitted() const { return parts_->model->fitted(); }
std::size_t UnitStates::num_units() const { return parts_->size(); }
bool UnitStates::has_times() const { return parts_->timed; }
double UnitStates::half_life() const { return parts_->half_life; }
std::size_t UnitStates::keep_rows() const { return parts_->keep_rows; }
const std::string& UnitStates::name(std::size_t unit) const { return parts_->names.texts()[unit]; }
std::size_t UnitStates::num_rows(std::size_t unit) const { return parts_->num_rows[unit]; }
double UnitStates::last_time(std::size_t unit) const { return parts_->last_times[unit]; }

std::optional<std::size_t> UnitStates::find(std::string_view name) const {
  return parts_->names.find(name, hash_text(name));
}

UnitBelief UnitStates::belief(std::size_t unit) const {
  return make_belief(parts_->model, parts_->mean(unit), parts_->factor(unit));
}

std::optional<UnitBelief> UnitStates::belief(std::size_t unit, double time) const {
  const Parts& parts = *parts_;
  if (!parts.timed)
    throw Error(ErrorCode::kInput,
                "the history has no times, so rows before a given time cannot be selected; make "
                "the units file with --time COL, or leave out --time");
  const bool later = time > parts.last_times[unit];
  if (later && parts.half_life == 0) return belief(unit);
  const std::size_t earlier = num_earlier(parts, unit, time);
  const bool summarised = parts.num_summarised(unit) > 0;
  if (earlier == 0 && !summarised) return std::nullopt;
  // Summarised rows are not later than the first kept row.
  if (earlier == 0 && !later) {
    throw Error(ErrorCode::kInput,
                fmt::format("unit '{}' has rows in the units file that are not earlier than this "
                            "row; give the rows themselves with --history, or make the units file "
                            "with a larger --keep-rows",
                            name(unit)));
  }
  UnitWorkspace workspace(*parts.model);
  require_usable(workspace.start(parts, unit, time), parts, unit);
  for (std::size_t i = 0; i < earlier; ++i) {
    const StoredRow row = parts.kept[parts.first_kept[unit] + i];
    workspace.add(row, row.weight() * parts.strength(time - row.time()));
  }
  workspace.solve();
  require_usable(workspace.posteriors().is_finite(0), parts, unit);
  return make_belief(parts.model, workspace.posteriors(), 0);
}

}  // namespace otss
