#include "otss/decide/predict.hpp"

#include <fmt/core.h>

#include <cmath>

#include "base/threads.hpp"
#include "data/table/chunk_cells.hpp"
#include "data/terms/term_columns.hpp"
#include "model/factor_cells.hpp"
#include "model/finite_predictor.hpp"
#include "model/units/unit_cells.hpp"
#include "otss/base/error.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss::internal {
namespace {

class Predictor {
 public:
  Predictor(const Fitted& fitted, const TableReader& reader, const PredictOptions& options)
      : fitted_(fitted),
        reader_(reader),
        options_(options),
        requests_(fitted.encoder().context_requests()),
        factors_(fitted, options.centered_by, requests_),
        units_(options.units, reader, requests_),
        first_kept_(requests_.size()),
        cells_(reader, requests_) {
    for (const std::string& name : options.keep)
      requests_.push_back({name, true, options.kept_form});
  }

  UnknownCounts run(const std::function<void(const PredictedRows&)>& consume) {
    UnknownCounts unknown;
    const EncodeOptions encoding{options_.unknown, reader_.name(), &unknown, options_.outside};
    read_with_terms(reader_, requests_, [&](const TableChunk& chunk) {
      x_.resize(chunk.num_rows * fitted_.num_contexts());
      fitted_.encoder().encode(chunk, x_, encoding);
      beliefs_ = units_.read(chunk, options_.threads);
      predict_means(chunk);
      if (options_.level > 0) compute_intervals(chunk);
      consume({chunk.first_row, chunk.num_rows, mean_, lo_, hi_,
               std::span(chunk.columns).subspan(first_kept_)});
    });
    return unknown;
  }

 private:
  std::span<const double> context(std::size_t i) const {
    return std::span(x_).subspan(i * fitted_.num_contexts(), fitted_.num_contexts());
  }
  std::span<double> decision(std::size_t i) {
    return std::span(z_).subspan(i * fitted_.num_factors(), fitted_.num_factors());
  }

  void predict_means(const TableChunk& chunk) {
    z_.resize(chunk.num_rows * fitted_.num_factors());
    mean_.clear();
    for (std::size_t i = 0; i < chunk.num_rows; ++i) {
      factors_.read(cells_, chunk, i, decision(i));
      mean_.push_back(fitted_.family().mean(finite_predictor(
          fitted_, context(i), decision(i), {reader_.name(), chunk.first_row + i}, beliefs_[i])));
    }
  }

  void compute_intervals(const TableChunk& chunk) {
    lo_.resize(chunk.num_rows);
    hi_.resize(chunk.num_rows);
    parallel_for(chunk.num_rows, options_.threads, [&](std::size_t i) {
      const Bounds bounds =
          fitted_.mean_interval(context(i), decision(i), options_.level, beliefs_[i]);
      lo_[i] = bounds.lo;
      hi_[i] = bounds.hi;
    });
    for (std::size_t i = 0; i < chunk.num_rows; ++i) {
      if (std::isfinite(lo_[i]) && std::isfinite(hi_[i])) continue;
      throw Error(ErrorCode::kInput,
                  fmt::format("{}: row {}: the interval of the model's prediction is not finite; "
                              "give the columns in the units of the log that the model was fitted "
                              "on, or leave out --interval",
                              reader_.name(), chunk.first_row + i + 1));
    }
  }

  const Fitted& fitted_;
  const TableReader& reader_;
  const PredictOptions& options_;
  std::vector<ColumnRequest> requests_;
  FactorCells factors_;
  UnitCells units_;
  std::size_t first_kept_;
  ChunkCells cells_;
  BeliefsOfRows beliefs_;  // this and the next belong to the current chunk
  std::vector<double> x_, z_, mean_, lo_, hi_;
};

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

UnknownCounts predict(const Fitted& fitted, const TableReader& reader,
                      const PredictOptions& options,
                      const std::function<void(const PredictedRows&)>& consume) {
  fitted.encoder().require_columns(reader);
  for (const std::string& name : fitted.factor_names())
    require_factor(reader.columns(), name, "a factor of the model", reader.name());
  for (const std::string& name : options.keep) reader.column(name, "--keep");
  require_candidates(fitted, reader, options.centered_by);
  require_new_rows(options.units, reader.source(), options.centered_by);
  return Predictor(fitted, reader, options).run(consume);
}

}  // namespace otss
