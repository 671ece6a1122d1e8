// This file saves and loads UnitStates as a table (docs/reference/units-file.md).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "data/log/fingerprint.hpp"
#include "data/table/chunk_cells.hpp"
#include "model/units/state_parts.hpp"
#include "otss/base/error.hpp"
#include "otss/model/model_file.hpp"
#include "otss/model/unit_states.hpp"

namespace otss::internal {
namespace {

// The number of units that are formatted together.
constexpr std::size_t kPartUnits = 2048;
// The largest number of rows that a file may claim. Doubles hold whole numbers up to this size.
constexpr double kMostRows = 9e15;

// The names of the columns with the mean, and those with the factor, of units of this rank.
std::vector<std::string> number_columns(int rank) {
  std::vector<std::string> names;
  for (int i = 1; i <= rank; ++i) names.push_back(fmt::format("mean_{}", i));
  for (int i = 1; i <= rank; ++i) {
    for (int j = 1; j <= i; ++j) names.push_back(fmt::format("factor_{}_{}", i, j));
  }
  return names;
}

// Writes the kept rows of a unit. Rows are separated by semicolons, the numbers of a row by spaces:
// time (if rows have times), offset, outcome, weight, direction, site. A number is written with the
// fewest digits that give exactly this number when they are read back.
std::string kept_text(const UnitStates::Parts& parts, std::size_t unit) {
  fmt::memory_buffer text;
  const auto add = [&](double number) {
    const bool begins = text.size() == 0 || text[text.size() - 1] == ';';
    fmt::format_to(std::back_inserter(text), "{}{}", begins ? "" : " ", number);
  };
  for (std::size_t row = parts.first_kept[unit]; row < parts.first_kept[unit + 1]; ++row) {
    if (text.size() > 0) text.push_back(';');
    const StoredRow kept = parts.kept[row];
    if (parts.timed) add(kept.time());
    add(kept.offset());
    add(kept.outcome());
    add(kept.weight());
    for (const double entry : kept.direction()) add(entry);
    add(parts.kept.site(row).precision);
    add(parts.kept.site(row).information);
  }
  return fmt::to_string(text);
}

class StateWriter {
 public:
  StateWriter(const UnitStates::Parts& parts, const std::string& path, int threads)
      : parts_(parts),
        checksum_(model_checksum(parts.model->fitted())),
        writer_(path, columns(), threads) {}

  void run() {
    writer_.write_parts(parts_.size(), kPartUnits, [this](std::size_t first, std::size_t count) {
      return format(first, count);
    });
    writer_.commit();
  }

 private:
  std::vector<ColumnInfo> columns() const {
    std::vector<ColumnInfo> columns{{"unit", ColumnKind::kText},
                                    {"model", ColumnKind::kText},
                                    {"rows", ColumnKind::kNumber, true},
                                    {"keep_rows", ColumnKind::kNumber, true},
                                    {"half_life", ColumnKind::kNumber}};
    if (parts_.timed) columns.push_back({"last_time", ColumnKind::kNumber});
    for (const std::string& name : number_columns(parts_.model->rank()))
      columns.push_back({name, ColumnKind::kNumber});
    if (parts_.keep_rows > 0) columns.push_back({"kept", ColumnKind::kText});
    return columns;
  }

  TableWriter::Rows format(std::size_t first, std::size_t count) const {
    std::vector<std::vector<double>> numbers;
    const auto add_numbers = [&](const auto& value_of) {
      std::vector<double>& column = numbers.emplace_back(count);
      for (std::size_t i = 0; i < count; ++i) column[i] = value_of(first + i);
    };
    add_numbers([&](std::size_t unit) { return static_cast<double>(parts_.num_rows[unit]); });
    add_numbers([&](std::size_t) { return static_cast<double>(parts_.keep_rows); });
    add_numbers([&](std::size_t) { return parts_.half_life; });
    if (parts_.timed) add_numbers([&](std::size_t unit) { return parts_.last_times[unit]; });
    for (int i = 0; i < parts_.model->rank(); ++i)
      add_numbers([&](std::size_t unit) { return parts_.mean(unit)[i]; });
    for (std::size_t i = 0; i < packed_size(parts_.model->rank()); ++i)
      add_numbers([&](std::size_t unit) { return parts_.factor(unit)[i]; });
    std::vector<std::string_view> names, kept;
    const std::vector<std::string_view> models(count, checksum_);
    std::vector<std::string> texts;
    for (std::size_t unit = first; unit < first + count; ++unit) {
      names.emplace_back(parts_.names.texts()[unit]);
      if (parts_.keep_rows > 0) texts.push_back(kept_text(parts_, unit));
    }
    TableChunk chunk{
        first, count, {{ColumnKind::kText, {}, names}, {ColumnKind::kText, {}, models}}};
    for (const auto& column : numbers) chunk.columns.push_back({ColumnKind::kNumber, column, {}});
    kept.assign(texts.begin(), texts.end());
    if (parts_.keep_rows > 0) chunk.columns.push_back({ColumnKind::kText, {}, kept});
    return writer_.format(chunk);
  }

  const UnitStates::Parts& parts_;
  std::string checksum_;
  TableWriter writer_;
};

class StateReader {
 public:
  StateReader(const Fitted& fitted, const std::string& path)
      : reader_(path), checksum_(model_checksum(fitted)), cells_(reader_, requests_) {
    parts_->model = std::make_shared<const UnitModel>(fitted);
    parts_->kept = RowStore(parts_->model->rank());
    parts_->timed = reader_.has_column("last_time");
    requests_ = {{column("unit"), true}, {column("model"), true}};
    for (const char* name : {"rows", "keep_rows", "half_life"}) requests_.push_back({column(name)});
    if (parts_->timed) requests_.push_back({"last_time"});
    first_number_ = requests_.size();
  }

  UnitStates run() {
    require_model();
    for (const std::string& name : number_columns(parts_->model->rank()))
      requests_.push_back({column(name)});
    kept_ = requests_.size();
    has_kept_ = reader_.has_column("kept");
    if (has_kept_) requests_.push_back({"kept", true});
    reader_.read(requests_, [&](const TableChunk& chunk) {
      for (std::size_t row = 0; row < chunk.num_rows; ++row) read_unit(chunk, row);
    });
    return UnitStates(std::move(parts_));
  }

 private:
  const std::string& column(const std::string& name) const {
    if (reader_.has_column(name)) return reader_.column(name, "").name;
    throw Error(
        ErrorCode::kInput,
        fmt::format("'{}' has no column '{}', so it is not a units file of this model; make "
                    "it with otss units",
                    reader_.name(), name));
  }

  // Checks the model of every unit first, since a file of another model may have other columns.
  void require_model() const {
    const std::vector<ColumnRequest> requests{{"model", true}};
    reader_.read(requests, [&](const TableChunk& chunk) {
      for (const std::string_view model : chunk.columns.front().texts) {
        if (model == checksum_) continue;
        throw Error(
            ErrorCode::kInput,
            fmt::format("'{}' was made with another model (column model has the model's checksum); "
                        "make it again with otss units",
                        reader_.name()));
      }
    });
  }

  [[noreturn]] void refuse(const TableChunk& chunk, std::size_t row, std::string_view what) const {
    throw Error(ErrorCode::kInput,
                fmt::format("{}: row {}: {}; the file is damaged, so make it again with otss units",
                            reader_.name(), chunk.first_row + row + 1, what));
  }

  double whole(const TableChunk& chunk, std::size_t column, std::size_t row) const {
    const double value = cells_.finite(chunk, column, row);
    if (!(value >= 0 && value <= kMostRows && value == std::floor(value)))
      refuse(chunk, row, fmt::format("{} is not a count", requests_[column].name));
    return value;
  }

  void read_unit(const TableChunk& chunk, std::size_t row) {
    UnitStates::Parts& parts = *parts_;
    const std::string_view name = cells_.text(chunk, 0, row);
    const std::size_t unit = parts.size();
    if (parts.names.code(name, hash_text(name)) != unit)
      refuse(chunk, row, fmt::format("unit '{}' is listed twice", name));
    parts.num_rows.push_back(static_cast<std::size_t>(whole(chunk, 2, row)));
    read_options(chunk, row);
    if (parts.timed) parts.last_times.push_back(cells_.finite(chunk, 5, row));
    read_posterior(chunk, row);
    read_kept(chunk, row);
    if (parts.num_rows[unit] == 0 || parts.num_kept(unit) > parts.num_rows[unit] ||
        parts.num_kept(unit) > parts.keep_rows)
      refuse(chunk, row, "the number of rows does not match the kept rows");
    if (parts.timed && parts.num_kept(unit) > 0 &&
        parts.kept[parts.kept.size() - 1].time() != parts.last_times[unit])
      refuse(chunk, row, "last_time is not the time of the last kept row");
  }

  void read_options(const TableChunk& chunk, std::size_t row) {
    UnitStates::Parts& parts = *parts_;
    const auto keep_rows = static_cast<std::size_t>(whole(chunk, 3, row));
    const double half_life = cells_.finite(chunk, 4, row);
    if (parts.size() == 1) {
      parts.keep_rows = keep_rows;
      parts.half_life = half_life;
    }
    if (keep_rows != parts.keep_rows || half_life != parts.half_life)
      refuse(chunk, row, "keep_rows or half_life differs between units");
    if (!(half_life >= 0) || (half_life > 0 && !parts.timed))
      refuse(chunk, row, "half_life is negative, or the units have no last_time");
    if ((keep_rows > 0) != has_kept_)
      refuse(chunk, row, "keep_rows does not match the column kept");
  }

  void read_posterior(const TableChunk& chunk, std::size_t row) {
    UnitStates::Parts& parts = *parts_;
    const std::size_t rank = parts.model->rank();
    for (std::size_t i = 0; i < rank; ++i)
      parts.means.push_back(moderate(chunk, first_number_ + i, row));
    for (std::size_t i = 0; i < packed_size(rank); ++i)
      parts.factors.push_back(moderate(chunk, first_number_ + rank + i, row));
    const std::span<const double> factor = parts.factor(parts.size() - 1);
    for (std::size_t i = 0; i < rank; ++i) {
      // The precision is at least that of the prior, which is 1.
      constexpr double kPriorRounding = 1e-6;
      double precision = 0;
      for (std::size_t k = 0; k <= i; ++k)
        precision += factor[packed_size(i) + k] * factor[packed_size(i) + k];
      if (!(factor[packed_size(i) + i] > 0 && precision >= 1 - kPriorRounding))
        refuse(chunk, row, "the factor of the precision is not that of a posterior");
    }
  }

  // Returns a number that is small enough for sums of products to stay finite.
  double moderate(const TableChunk& chunk, std::size_t column, std::size_t row) const {
    constexpr double kLargest = 1e60;
    const double value = cells_.finite(chunk, column, row);
    if (!(std::abs(value) <= kLargest))
      refuse(chunk, row, fmt::format("{} is too large", requests_[column].name));
    return value;
  }

  void read_kept(const TableChunk& chunk, std::size_t row) {
    UnitStates::Parts& parts = *parts_;
    const std::string_view text = has_kept_ ? cells_.text(chunk, kept_, row) : std::string_view();
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto number = [&](char before) {
      if (before != 0 && (at == end || *at++ != before)) refuse(chunk, row, "kept is cut off");
      double value = 0;
      const auto [next, error] = std::from_chars(at, end, value);
      if (error != std::errc() || !std::isfinite(value))
        refuse(chunk, row, "kept has a cell that is not a number");
      at = next;
      return value;
    };
    for (bool first = true; at != end; first = false) {
      char before = first ? '\0' : ';';
      const auto next = [&] {
        const double value = number(before);
        before = ' ';
        return value;
      };
      const std::size_t last = parts.kept.size();
      parts.kept.resize(last + 1);
      const NewRow kept = parts.kept[last];
      kept.time() = parts.timed ? next() : 0;
      if (!first && parts.kept[last - 1].time() > kept.time())
        refuse(chunk, row, "the kept rows are not ordered by time");
      kept.offset() = next();
      kept.outcome() = next();
      kept.weight() = next();
      for (double& entry : kept.direction()) entry = next();
      Site& site = parts.kept.site(last);
      site.precision = next();
      site.information = next();
      const OutputFamily family = parts.model->fitted().family();
      if (!family.allows(kept.outcome()) || kept.weight() < 0 || site.precision < 0)
        refuse(chunk, row, "kept has an outcome, a weight or a site that is not allowed");
    }
    parts.first_kept.push_back(parts.kept.size());
  }

  TableReader reader_;
  std::string checksum_;
  std::vector<ColumnRequest> requests_;
  ChunkCells cells_;
  std::size_t first_number_ = 0;  // the position of the first number of the mean
  std::size_t kept_ = 0;          // the position of the kept rows, if has_kept_
  bool has_kept_ = false;
  std::shared_ptr<UnitStates::Parts> parts_ = std::make_shared<UnitStates::Parts>();
};

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

void save_units(const UnitStates& states, const std::string& path, int threads) {
  StateWriter(states.parts(), path, threads).run();
}

UnitStates load_units(const Fitted& fitted, const std::string& path) {
  return StateReader(fitted, path).run();
}

}  // namespace otss
