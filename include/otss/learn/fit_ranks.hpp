// Fits a model to a log whose rows are shared out over several processes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "otss/base/ranks.hpp"
#include "otss/data/table.hpp"
#include "otss/learn/fit.hpp"

namespace otss {

// How a fit that was interrupted continues. The sums over all rows are written to a file every few
// passes, and the next run takes them from there.
struct Checkpoint {
  std::string path = {};  // the file; empty means that nothing is written
  // Is called before the fit if the file has passes of an earlier run, with their number.
  std::function<void(std::size_t num_passes)> on_continue = {};
};

// Fits the soft mixture with a linear gate, or the pooled model, to Parquet or CSV files. All
// processes must call this function with the same arguments. Each reads, encodes and keeps its own
// part of the rows. Returns the model on rank 0, and nothing on the other ranks. The model has the
// bits of a fit in one process, without the findings that the command `fit` adds. A log that is not
// large (FitOptions::large_log_rows) is an Error, because one process fits it faster.
std::optional<Fitted> fit_ranks(Ranks& ranks, const TableSource& source, const Roles& roles,
                                const FitOptions& options, const Checkpoint& checkpoint = {},
                                const Progress& progress = {});

}  // namespace otss
