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

// The predictions of one chunk, and the memory to which they point.
struct PredictedChunk {
  std::vector<double> x, z, mean, lo, hi;
  BeliefsOfRows beliefs;
  UnknownCounts unknown;

  PredictedRows rows(const TableChunk& chunk, std::size_t first_kept) const {
    return {chunk.first_row,
            chunk.num_rows,
            mean,
            lo,
            hi,
            std::span(chunk.columns).subspan(first_kept)};
  }
};

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

  UnknownCounts run(const std::function<void(const PredictedRows&)>& consume) const {
    UnknownCounts unknown;
    read_with_terms(reader_, requests_, [&](const TableChunk& chunk) {
      const PredictedChunk predicted = predict(chunk);
      unknown.add(predicted.unknown);
      consume(predicted.rows(chunk, first_kept_));
    });
    return unknown;
  }

  UnknownCounts run_in_parallel(
      const std::function<std::function<void()>(const PredictedRows&)>& work) const {
    UnknownCounts unknown;
    read_with_terms_in_parallel(reader_, requests_,
                                [&](const TableChunk& chunk) -> std::function<void()> {
                                  const PredictedChunk predicted = predict(chunk);
                                  return [&unknown, counts = predicted.unknown,
                                          use = work(predicted.rows(chunk, first_kept_))] {
                                    unknown.add(counts);
                                    if (use) use();
                                  };
                                });
    return unknown;
  }

 private:
  PredictedChunk predict(const TableChunk& chunk) const {
    PredictedChunk predicted;
    predicted.x.resize(chunk.num_rows * fitted_.num_contexts());
    fitted_.encoder().encode(
        chunk, predicted.x,
        {options_.unknown, reader_.name(), &predicted.unknown, options_.outside});
    predicted.beliefs = units_.read(chunk, options_.threads);
    predict_means(chunk, predicted);
    if (options_.level > 0) compute_intervals(chunk, predicted);
    return predicted;
  }

  std::span<const double> context(const PredictedChunk& predicted, std::size_t i) const {
    return std::span(predicted.x).subspan(i * fitted_.num_contexts(), fitted_.num_contexts());
  }
  std::span<const double> decision(const PredictedChunk& predicted, std::size_t i) const {
    return std::span(predicted.z).subspan(i * fitted_.num_factors(), fitted_.num_factors());
  }

  void predict_means(const TableChunk& chunk, PredictedChunk& predicted) const {
    const std::size_t num_factors = fitted_.num_factors();
    predicted.z.resize(chunk.num_rows * num_factors);
    for (std::size_t i = 0; i < chunk.num_rows; ++i) {
      factors_.read(cells_, chunk, i, std::span(predicted.z).subspan(i * num_factors, num_factors));
      predicted.mean.push_back(fitted_.family().mean(
          finite_predictor(fitted_, context(predicted, i), decision(predicted, i),
                           {reader_.name(), chunk.first_row + i}, predicted.beliefs[i])));
    }
  }

  void compute_intervals(const TableChunk& chunk, PredictedChunk& predicted) const {
    predicted.lo.resize(chunk.num_rows);
    predicted.hi.resize(chunk.num_rows);
    parallel_for(chunk.num_rows, options_.threads, [&](std::size_t i) {
      const Bounds bounds = fitted_.mean_interval(context(predicted, i), decision(predicted, i),
                                                  options_.level, predicted.beliefs[i]);
      predicted.lo[i] = bounds.lo;
      predicted.hi[i] = bounds.hi;
    });
    for (std::size_t i = 0; i < chunk.num_rows; ++i) {
      if (std::isfinite(predicted.lo[i]) && std::isfinite(predicted.hi[i])) continue;
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
};

// Throws an Error if the table lacks a column that the model needs.
void require_columns(const Fitted& fitted, const TableReader& reader,
                     const PredictOptions& options) {
  fitted.encoder().require_columns(reader);
  for (const std::string& name : fitted.factor_names())
    require_factor(reader.columns(), name, "a factor of the model", reader.name());
  for (const std::string& name : options.keep) reader.column(name, "--keep");
  require_candidates(fitted, reader, options.centered_by);
  require_new_rows(options.units, reader.source(), options.centered_by);
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

UnknownCounts predict(const Fitted& fitted, const TableReader& reader,
                      const PredictOptions& options,
                      const std::function<void(const PredictedRows&)>& consume) {
  require_columns(fitted, reader, options);
  return Predictor(fitted, reader, options).run(consume);
}

UnknownCounts predict_in_parallel(
    const Fitted& fitted, const TableReader& reader, const PredictOptions& options,
    const std::function<std::function<void()>(const PredictedRows&)>& work) {
  require_columns(fitted, reader, options);
  return Predictor(fitted, reader, options).run_in_parallel(work);
}

}  // namespace otss
