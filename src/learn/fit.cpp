#include "otss/learn/fit.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/profile.hpp"
#include "base/threads.hpp"
#include "engine/ranks/rank_rows.hpp"
#include "engine/sum_journal.hpp"
#include "learn/estimate/fit_rows.hpp"
#include "learn/estimate/fit_soft.hpp"
#include "learn/fit_gate.hpp"
#include "learn/methods/fit_method.hpp"
#include "learn/options/option_check.hpp"
#include "learn/options/option_conflicts.hpp"
#include "otss/base/error.hpp"
#include "otss/learn/fit_ranks.hpp"
#include "otss/learn/stream.hpp"

namespace otss::internal {
namespace {

// The ranks of a machine share its GPUs.
void require_device_of_rank(Device device, const Ranks& ranks) {
  if (device == Device::kCpu) return;
  try {
    choose_gpu(ranks.rank_on_machine());
    require_device(device);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("rank {}: {}", ranks.rank(), error.what()));
  }
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

Fitted fit(const LoggedData& log, const FitOptions& options, const Progress& progress) {
  check_options(options);
  require_device(options.device);
  refuse_conflicts(log, options);
  // Rows of one unit depend on each other, and the population is judged on whole units.
  if (!log.units().empty() && log.groups().empty())
    return fit(log.grouped_by_unit(), options, progress);
  if (options.gate == GateChoice::kAuto) return fit_best_gate(log, options, progress);
  const bool soft = options.method == Method::kPooled || fits_segments(options.method);
  const bool by_held_out_loss = options.gate == GateChoice::kMlp || is_paper_recipe(options);
  return soft && !by_held_out_loss ? fit_soft(log, options, progress)
                                   : fit_method(log, options, progress);
}

namespace {

// Returns the options for what rank 0 computes alone, such as the choice on the sample. The other
// ranks of its machine wait for it, so it uses their cores, as far as MPI has not bound it to fewer.
FitOptions alone_on_machine(FitOptions options, const Ranks& ranks) {
  if (options.threads > 0)
    options.threads = std::max(
        options.threads, std::min(options.threads * ranks.num_on_machine(), hardware_threads()));
  return options;
}

}  // namespace

std::optional<Fitted> fit_ranks(Ranks& ranks, const TableSource& source, const Roles& roles,
                                const FitOptions& options, const Checkpoint& checkpoint,
                                const Progress& progress) {
  check_options(options);
  if (const std::string option = option_that_needs_memory(options, roles); !option.empty())
    throw Error(
        ErrorCode::kUsage,
        fmt::format("{0} needs all rows in one process; leave out {0}, or use otss fit", option));
  require_device_of_rank(options.device, ranks);
  std::optional<StageTimer> timer(std::in_place, Stage::kRead);
  const RankedLog log = read_ranked_log(source, roles, options.family.outcome_kind(), ranks);
  timer.reset();
  const RowsDevice by{options.device, options.storage, options.threads};
  if (ranks.rank() > 0) {
    serve_rows(log, ranks, by);
    return std::nullopt;
  }
  const auto rows = make_rank_rows(log, ranks, by);
  // The settings were checked for a log with all labels; ranks have none that could contradict them.
  refuse_conflicts(log.part, options);
  const auto journal = checkpoint.path.empty() ? nullptr : with_journal(*rows, checkpoint.path);
  if (journal && journal->num_known() > 0 && checkpoint.on_continue)
    checkpoint.on_continue(journal->num_known());
  auto fitted = fit_rows(journal ? *journal : *rows, alone_on_machine(options, ranks), progress);
  if (!fitted)
    throw Error(ErrorCode::kInput,
                fmt::format("the log has only {} rows; use otss fit, which fits it faster",
                            log.num_all_rows));
  return fitted;
}

}  // namespace otss
