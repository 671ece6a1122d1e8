#include "model/units/history.hpp"

#include <numeric>

#include "base/threads.hpp"

namespace otss::internal {

History::History(const UnitModel& model, const TableSource& source, const UpdateOptions& options,
                 TextCodes& names)
    : rank_(model.rank()) {
  const TableReader reader(model.fitted().encoder().as_trained(source));
  table_ = reader.name();
  read_history(model, reader, options, MissingUnits::kRefuse, [&](HistoryChunk& chunk) {
    names.add(chunk.units, chunk.hashes, units_.emplace_back(chunk.units.size()));
    blocks_.push_back(std::move(chunk.rows));
  });
  list_rows(names.size(), options.threads);
}

void History::list_rows(std::size_t num_units, int threads) {
  // Each thread goes over all rows, and lists the rows of its own units. So the lists do not depend
  // on the number of threads.
  const auto num_ranges = static_cast<std::size_t>(threads == 0 ? hardware_threads() : threads);
  const auto for_each_range = [&](const auto& body) {
    parallel_for(num_ranges, threads, [&](std::size_t i) {
      body(UnitRange{num_units * i / num_ranges, num_units * (i + 1) / num_ranges});
    });
  };
  first_.assign(num_units + 1, 0);
  for_each_range([&](UnitRange range) { count_rows(range); });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  by_unit_.resize(first_.back());
  LargeArray<std::size_t> next = first_;
  for_each_range([&](UnitRange range) { place_rows(range, next); });
}

// Sets first_[i + 1] to the number of rows of unit i.
void History::count_rows(UnitRange range) {
  for (const std::vector<std::uint32_t>& units : units_) {
    for (const std::uint32_t unit : units) {
      if (range.has(unit)) ++first_[unit + 1];
    }
  }
}

// next[i] is the place of the next row of unit i.
void History::place_rows(UnitRange range, std::span<std::size_t> next) {
  std::vector<std::uint32_t> rows;
  std::vector<std::size_t> places;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::vector<std::uint32_t>& units = units_[b];
    rows.clear();
    for (std::uint32_t row = 0; row < units.size(); ++row) {
      if (range.has(units[row])) rows.push_back(row);
    }
    places.resize(rows.size());
    // Each loop fetches the memory of the next loop, for many rows at the same time.
    for (const std::uint32_t row : rows) __builtin_prefetch(&next[units[row]], 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      places[i] = next[units[rows[i]]]++;
      __builtin_prefetch(&by_unit_[places[i]], 1);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) by_unit_[places[i]] = blocks_[b].numbers(rows[i]);
  }
}

void History::prefetch(std::size_t unit) const {
  constexpr std::size_t kDoublesOfCacheLine = 8;
  const std::size_t last = StoredRow::width(rank_) - 1;
  for (std::size_t i = first_[unit]; i < first_[unit + 1]; ++i) {
    for (std::size_t k = 0; k < last; k += kDoublesOfCacheLine) __builtin_prefetch(by_unit_[i] + k);
    __builtin_prefetch(by_unit_[i] + last);
  }
}

}  // namespace otss::internal
