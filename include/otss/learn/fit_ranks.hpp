// Fits a model to a log whose rows are shared out over several processes.
#pragma once

#include <optional>
#include <string>

#include "otss/data/table.hpp"
#include "otss/learn/fit.hpp"

namespace otss {

namespace internal {
class Ranks;
}

// Fits the soft mixture with a linear gate, or the pooled model, to Parquet files. All
// processes must call this function with the same arguments. Each reads, encodes and keeps its own
// part of the rows. Returns the model on rank 0, and nothing on the other ranks. The model has the
// bits of a fit in one process, without the findings that the command `fit` adds. A log that is not
// large (FitOptions::large_log_rows) is an Error, because one process fits it faster. If `checkpoint` is
// not empty, the sums over all rows are written to this file, and a fit that was interrupted continues
// from there.
std::optional<Fitted> fit_ranks(internal::Ranks& ranks, const TableSource& source,
                                const Roles& roles, const FitOptions& options,
                                const std::string& checkpoint = {}, const Progress& progress = {});

}  // namespace otss
