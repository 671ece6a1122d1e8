// This header says where the time of the process has gone.
#pragma once

#include <array>
#include <cstddef>

#include "otss/base/options.hpp"

namespace otss {

// The stages of a fit, in the order in which they begin.
enum class Stage {
  kRead,         // reading the table
  kEncode,       // encoding its columns
  kGpu,          // waiting for a GPU to start, and to give its memory back
  kPooled,       // the pooled fit and its penalties
  kChoose,       // fits on folds, to choose or weigh settings
  kSample,       // sampling posteriors
  kCopy,         // waiting until all rows are on a GPU
  kFit,          // fits of the chosen settings on all rows
  kDistil,       // approximating an average of models by one mixture
  kUncertainty,  // covariances, draws and diagnostics of the model
  kCheck,        // waiting for what looks at the log beside the fit
  kWrite         // writing the model
};

constexpr auto word_table(Stage) {
  return std::to_array<WordOf<Stage>>({{Stage::kRead, "read"},
                                       {Stage::kEncode, "encode"},
                                       {Stage::kGpu, "gpu"},
                                       {Stage::kPooled, "pooled"},
                                       {Stage::kChoose, "choose"},
                                       {Stage::kSample, "sample"},
                                       {Stage::kCopy, "copy"},
                                       {Stage::kFit, "fit"},
                                       {Stage::kDistil, "distil"},
                                       {Stage::kUncertainty, "uncertainty"},
                                       {Stage::kCheck, "check"},
                                       {Stage::kWrite, "write"}});
}

// What the process has done since it started.
struct Profile {
  // Seconds of each stage. If several models are fitted at the same time, the seconds of the stages
  // of all fits are added up.
  std::array<double, word_table(Stage{}).size()> seconds{};
  // Rows at which a loss and its gradient were computed. This number divided by the rows of the log
  // is the number of passes over the log.
  double rows_evaluated = 0;
  std::size_t tasks = 0;              // pieces of work that were handed to threads
  std::size_t peak_memory_bytes = 0;  // the most memory that the process has used at a time

  double seconds_of(Stage stage) const { return seconds[static_cast<std::size_t>(stage)]; }
};

Profile profile_of_process();

// Adds seconds that a command has measured.
void add_to_profile(Stage stage, double seconds);

}  // namespace otss
