#include "model/units/unit_log.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/threads.hpp"
#include "data/table/chunk_cells.hpp"
#include "data/terms/term_columns.hpp"
#include "model/factor_cells.hpp"
#include "model/predictor.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// The rows of a chunk are computed in blocks of this size, in parallel.
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
        rows_(model.rank()),
        requests_(fitted_.encoder().context_requests()),
        factors_(fitted_, options.centered_by, requests_),
        cells_(reader, requests_) {
    outcome_ = request(fitted_.roles().outcome, "the outcome of the model");
    unit_ = request(options.unit, "--unit", true);
    if (!options.time.empty()) time_ = request(options.time, "--time");
    const std::string& weight = fitted_.roles().weight;
    if (!weight.empty() && reader.has_column(weight)) weight_ = request(weight, "--weight");
  }

  void run(const std::function<void(const HistoryChunk&)>& consume) {
    const EncodeOptions encoding{options_.unknown, reader_.name(), options_.counts,
                                 options_.outside};
    read_with_terms(reader_, requests_, [&](const TableChunk& chunk) {
      x_.resize(chunk.num_rows * fitted_.num_contexts());
      fitted_.encoder().encode(chunk, x_, encoding);
      rows_.resize(chunk.num_rows);
      parallel_for((chunk.num_rows + kBlockRows - 1) / kBlockRows, options_.threads,
                   [&](std::size_t block) {
                     const std::size_t first = block * kBlockRows;
                     read_block(chunk, first, std::min(kBlockRows, chunk.num_rows - first));
                   });
      consume({chunk.first_row, chunk.columns[unit_].texts, rows_});
    });
  }

 private:
  std::size_t request(const std::string& name, std::string_view role, bool as_text = false) {
    reader_.column(name, role);
    requests_.push_back({name, as_text});
    return requests_.size() - 1;
  }

  void read_block(const TableChunk& chunk, std::size_t first, std::size_t count) {
    const std::size_t p = fitted_.num_contexts(), num_factors = fitted_.num_factors();
    const std::span<const double> x = std::span(x_).subspan(first * p, count * p);
    std::vector<double> w(count * num_factors);
    fitted_.weight_map().weights(count, x, w);
    const Mixture* mixture = fitted_.mixture();
    const std::size_t num_experts = fitted_.num_experts();
    std::vector<double> alpha(count * num_experts);
    if (mixture != nullptr) mixture->shares(count, x, alpha);
    const Baseline& baseline = fitted_.baseline();
    std::vector<double> z(num_factors);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = first + i;
      double eta = common_baseline(baseline, x.subspan(i * p, p));
      for (std::size_t k = 0; k < num_experts; ++k)
        eta += alpha[i * num_experts + k] * baseline.expert_intercepts[k];
      factors_.read(cells_, chunk, row, z);
      for (std::size_t j = 0; j < num_factors; ++j)
        eta += w[i * num_factors + j] * (z[j] - fitted_.encoder().factors[j].center);
      model_.standardise(z);
      model_.basis().project(z, rows_.direction(row));
      rows_.offset(row) = eta;
      require_finite(chunk, row);
      read_labels(chunk, row);
    }
  }

  void require_finite(const TableChunk& chunk, std::size_t row) const {
    bool finite = std::isfinite(rows_.offset(row));
    for (const double entry : std::as_const(rows_).direction(row))
      finite = finite && std::isfinite(entry);
    if (finite) return;
    throw Error(
        ErrorCode::kInput,
        fmt::format("{}: row {}: the model's prediction is not finite; give the columns in the "
                    "units of the log that the model was fitted on",
                    reader_.name(), chunk.first_row + row + 1));
  }

  void read_labels(const TableChunk& chunk, std::size_t row) {
    const OutputFamily family = fitted_.family();
    rows_.outcome(row) = cells_.finite(chunk, outcome_, row);
    if (!family.allows(rows_.outcome(row)))
      cells_.fail(chunk, outcome_, row,
                  fmt::format("must be {}; correct it, or leave the row out", family.allowed()));
    rows_.weight(row) = weight_ ? cells_.finite(chunk, *weight_, row) : 1;
    if (rows_.weight(row) < 0)
      cells_.fail(chunk, *weight_, row,
                  "must not be negative; correct the weight, or leave the row out");
    rows_.time(row) = time_ ? cells_.finite(chunk, *time_, row) : 0;
    if (missing_ == MissingUnits::kRefuse) cells_.text(chunk, unit_, row);
  }

  const UnitModel& model_;
  const Fitted& fitted_;
  const TableReader& reader_;
  const UpdateOptions& options_;
  MissingUnits missing_;
  RowStore rows_;  // the rows of the current chunk
  std::vector<ColumnRequest> requests_;
  FactorCells factors_;
  ChunkCells cells_;
  std::size_t outcome_ = 0, unit_ = 0;
  std::optional<std::size_t> time_, weight_;
  std::vector<double> x_;  // the encoded contexts of the current chunk
};

}  // namespace

void read_history(const UnitModel& model, const TableReader& reader, const UpdateOptions& options,
                  MissingUnits missing, const std::function<void(const HistoryChunk&)>& consume) {
  const Fitted& fitted = model.fitted();
  fitted.encoder().require_columns(reader);
  for (const std::string& name : fitted.factor_names())
    require_factor(reader.columns(), name, "a factor of the model", reader.name());
  require_candidates(fitted, reader, options.centered_by);
  HistoryReader(model, reader, options, missing).run(consume);
}

}  // namespace otss::internal
