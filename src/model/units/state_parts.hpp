// UnitStates::Parts holds the contents of a UnitStates. A UnitWorkspace computes posteriors from
// them.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "data/log/text_codes.hpp"
#include "model/units/packed_cholesky.hpp"
#include "model/units/unit_log.hpp"
#include "model/units/unit_model.hpp"
#include "otss/model/unit_states.hpp"

namespace otss {

// The rows of a unit are ordered by time. The earliest rows are summarised, the last rows are kept.
// The summary is not stored: it is the stored posterior of all rows minus the kept rows.
struct UnitStates::Parts {
  std::shared_ptr<const internal::UnitModel> model;
  internal::TextCodes names;  // the code of a name is the number of its unit
  bool timed = false;         // true if rows have times
  double half_life = 0;
  std::size_t keep_rows = 0;
  // One entry per unit: the number of rows seen, and the time of the last row (empty if !timed).
  std::vector<std::size_t> num_rows;
  std::vector<double> last_times;
  // The posterior given all rows, as of the time of the last row: rank and packed_size(rank)
  // numbers per unit.
  internal::LargeArray<double> means, factors;
  // The kept rows of unit i are the rows first_kept[i] to first_kept[i + 1] - 1 of `kept`.
  std::vector<std::size_t> first_kept = {0};
  internal::RowStore kept;

  std::size_t size() const { return num_rows.size(); }
  std::size_t num_kept(std::size_t unit) const { return first_kept[unit + 1] - first_kept[unit]; }
  std::size_t num_summarised(std::size_t unit) const { return num_rows[unit] - num_kept(unit); }
  std::span<const double> mean(std::size_t unit) const {
    const std::size_t rank = model->rank();
    return std::span(means).subspan(unit * rank, rank);
  }
  std::span<const double> factor(std::size_t unit) const {
    const std::size_t size = internal::packed_size(model->rank());
    return std::span(factors).subspan(unit * size, size);
  }
  std::span<double> mean(std::size_t unit) {
    const std::size_t rank = model->rank();
    return std::span(means).subspan(unit * rank, rank);
  }
  std::span<double> factor(std::size_t unit) {
    const std::size_t size = internal::packed_size(model->rank());
    return std::span(factors).subspan(unit * size, size);
  }
  // Returns the weight that a row has left after `age`.
  double strength(double age) const { return half_life > 0 ? std::exp2(-age / half_life) : 1; }
};

}  // namespace otss

namespace otss::internal {

// Computes posteriors of a few units together (unit_moments.hpp). One thread at a time can use an
// object.
class UnitWorkspace {
 public:
  static constexpr std::size_t kMostUnits = UnitMoments::kMostUnits;

  explicit UnitWorkspace(const UnitModel& model);

  // Removes all units.
  void clear() { moments_.clear(); }
  // Begins a unit of which nothing is known.
  void start() { begin(nullptr); }
  // Begins with the summarised rows of a unit, as of `time`. If rows have no times, `time` is not
  // used. Returns false if the state contradicts itself, as a damaged file may.
  bool start(const UnitStates::Parts& states, std::size_t unit, double time);
  // Adds a row with this weight to the unit that was begun last. A row of weight 0 counts nothing.
  void add(StoredRow row, double weight) {
    moments_.set_row(num_rows_++, row.direction(), row.offset(), row.outcome(), weight);
  }
  // Computes the posteriors of all units that were begun.
  void solve() { moments_.compute_without_evidence(); }

  // Returns what was computed. Units and their rows are numbered in the order in which they came.
  const UnitMoments& posteriors() const { return moments_; }

 private:
  void begin(const NaturalNormal* prior) {
    moments_.begin(prior);
    num_rows_ = 0;
  }
  // Takes a row out of the summary.
  void remove(const Site& site, std::span<const double> direction);

  UnitMoments moments_;
  std::size_t num_rows_ = 0;                     // of the unit that was begun last
  std::vector<double> precision_, information_;  // the summary with the prior, in natural form
};

}  // namespace otss::internal
