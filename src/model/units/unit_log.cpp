#include "model/units/unit_log.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "data/log/fingerprint.hpp"
#include "data/table/chunk_cells.hpp"
#include "data/terms/term_columns.hpp"
#include "model/factor_cells.hpp"
#include "model/predictor.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// The weights of this many rows are computed together.
constexpr std::size_t kBlockRows = 256;

class HistoryReader {
 public:
  HistoryReader(const UnitModel& model, const TableReader& reader, const UpdateOptions& options,
                MissingUnits missing)
      : model_(model),
        fitted_(model.fitted()),
        reader_(reader),
        options_(options),
        missing_(missing),
        requests_(fitted_.encoder().context_requests()),
        factors_(fitted_, options.centered_by, requests_),
        cells_(reader, requests_),
        memory_(model.rank()) {
    outcome_ = request(fitted_.roles().outcome, "the outcome of the model");
    unit_ = request(options.unit, "--unit", true);
    if (!options.time.empty()) time_ = request(options.time, "--time");
    const std::string& weight = fitted_.roles().weight;
    if (!weight.empty() && reader.has_column(weight)) weight_ = request(weight, "--weight");
  }

  void run(const std::function<void(HistoryChunk&)>& consume) {
    read_with_terms_in_parallel(
        reader_, requests_, [&](const TableChunk& chunk) -> std::function<void()> {
          UnknownCounts counts;
          // A std::function can only hold what can be copied.
          const auto read = std::make_shared<HistoryChunk>(this->read(chunk, counts));
          return [this, read, counts, &consume] {
            if (options_.counts != nullptr) options_.counts->add(counts);
            consume(*read);
          };
        });
  }

 private:
  std::size_t request(const std::string& name, std::string_view role, bool as_text = false) {
    reader_.column(name, role);
    requests_.push_back({name, as_text});
    return requests_.size() - 1;
  }

  HistoryChunk read(const TableChunk& chunk, UnknownCounts& counts) {
    HistoryChunk read{chunk.first_row, {}, {}, memory_.take(chunk.num_rows)};
    std::vector<double> x(chunk.num_rows * fitted_.num_contexts());
    fitted_.encoder().encode(chunk, x,
                             {options_.unknown, reader_.name(), &counts, options_.outside});
    for (std::size_t first = 0; first < chunk.num_rows; first += kBlockRows)
      read_block(chunk, x, first, std::min(kBlockRows, chunk.num_rows - first), read.rows);
    copy_units(chunk.columns[unit_].texts, read);
    return read;
  }

  // Copies the names of the units, which the table holds only until the chunk has been read.
  static void copy_units(std::span<const std::string_view> units, HistoryChunk& read) {
    std::size_t size = 0;
    for (const std::string_view unit : units) size += unit.size();
    read.texts.resize(size + 1);  // an empty name also has an address
    char* to = read.texts.data();
    read.units.reserve(units.size());
    read.hashes.reserve(units.size());
    for (const std::string_view unit : units) {
      const bool missing = unit.data() == nullptr;
      read.units.push_back(missing ? std::string_view() : std::string_view(to, unit.size()));
      read.hashes.push_back(missing ? 0 : hash_text(unit));
      to = std::ranges::copy(unit, to).out;
    }
  }

  void read_block(const TableChunk& chunk, std::span<const double> contexts, std::size_t first,
                  std::size_t count, const RowBlock& rows) const {
    const std::size_t p = fitted_.num_contexts(), num_factors = fitted_.num_factors();
    const std::span<const double> x = contexts.subspan(first * p, count * p);
    std::vector<double> w(count * num_factors);
    fitted_.weight_map().weights(count, x, w);
    const Mixture* mixture = fitted_.mixture();
    const std::size_t num_experts = fitted_.num_experts();
    std::vector<double> alpha(count * num_experts);
    if (mixture != nullptr) mixture->shares(count, x, alpha);
    const Baseline& baseline = fitted_.baseline();
    const std::vector<FactorColumn>& factors = fitted_.encoder().factors;
    std::vector<double> z(num_factors);
    for (std::size_t i = 0; i < count; ++i) {
      const NewRow row = rows[first + i];
      double eta = common_baseline(baseline, x.subspan(i * p, p));
      for (std::size_t k = 0; k < num_experts; ++k)
        eta += alpha[i * num_experts + k] * baseline.expert_intercepts[k];
      factors_.read(cells_, chunk, first + i, z);
      for (std::size_t j = 0; j < num_factors; ++j)
        eta += w[i * num_factors + j] * (z[j] - factors[j].center);
      model_.standardise(z);
      model_.basis().project(z, row.direction());
      row.offset() = eta;
      require_finite(chunk, first + i, row);
      read_labels(chunk, first + i, row);
    }
  }

  void require_finite(const TableChunk& chunk, std::size_t number, NewRow row) const {
    bool finite = std::isfinite(row.offset());
    for (const double entry : row.direction()) finite &= std::isfinite(entry);
    if (finite) return;
    throw Error(
        ErrorCode::kInput,
        fmt::format("{}: row {}: the model's prediction is not finite; give the columns in the "
                    "units of the log that the model was fitted on",
                    reader_.name(), chunk.first_row + number + 1));
  }

  void read_labels(const TableChunk& chunk, std::size_t number, NewRow row) const {
    const OutputFamily family = fitted_.family();
    row.outcome() = cells_.finite(chunk, outcome_, number);
    if (!family.allows(row.outcome()))
      cells_.fail(chunk, outcome_, number,
                  fmt::format("must be {}; correct it, or leave the row out", family.allowed()));
    row.weight() = weight_ ? cells_.finite(chunk, *weight_, number) : 1;
    if (row.weight() < 0)
      cells_.fail(chunk, *weight_, number,
                  "must not be negative; correct the weight, or leave the row out");
    row.time() = time_ ? cells_.finite(chunk, *time_, number) : 0;
    if (missing_ == MissingUnits::kRefuse) cells_.text(chunk, unit_, number);
  }

  const UnitModel& model_;
  const Fitted& fitted_;
  const TableReader& reader_;
  const UpdateOptions& options_;
  MissingUnits missing_;
  std::vector<ColumnRequest> requests_;
  FactorCells factors_;
  ChunkCells cells_;
  RowMemory memory_;
  std::size_t outcome_ = 0, unit_ = 0;
  std::optional<std::size_t> time_, weight_;
};

}  // namespace

void read_history(const UnitModel& model, const TableReader& reader, const UpdateOptions& options,
                  MissingUnits missing, const std::function<void(HistoryChunk&)>& consume) {
  const Fitted& fitted = model.fitted();
  fitted.encoder().require_columns(reader);
  for (const std::string& name : fitted.factor_names())
    require_factor(reader.columns(), name, "a factor of the model", reader.name());
  require_candidates(fitted, reader, options.centered_by);
  HistoryReader(model, reader, options, missing).run(consume);
}

}  // namespace otss::internal
