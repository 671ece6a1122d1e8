// This header fits a model to a log whose partitions are in other processes, such as the workers of a
// cluster. The process that fits, the driver, carries bytes between its own C++ functions and those of
// the workers; how it does so (Dask, for example) is not the business of this library:
//
//   worker  summarize_partition(table, roles)          once per partition
//   driver  plan_partitions(summaries, …)              the encoding of the whole log
//   worker  LogPartition(table, plan, i)               encodes partition i and keeps it
//   driver  fit_partitions(plan, ask, options)         asks every partition, pass after pass
//   worker  partition.answer(request)
//
// The bytes are understood only by the same version of the library on the same kind of machine. They
// must come from a process that can be trusted.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "otss/base/progress.hpp"
#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// Returns what the encoding of the whole log must know about one partition. Factors must be numbers
// or terms. Values that read_log refuses are refused here too.
std::string summarize_partition(const TableSource& table, const Roles& roles);

// Returns the plan by which every partition is encoded. `summaries` has the summary of each
// partition, in the order of the rows. Throws an Error if the partitions do not fit together.
std::string plan_partitions(const std::vector<std::string>& summaries, OutcomeKind outcome);

// One partition, encoded, in a worker.
class LogPartition {
 public:
  // Reads and encodes the table. `index` is the number of the partition, counted from 0.
  LogPartition(const TableSource& table, std::string_view plan, std::size_t index);
  // Makes the partition that saved() described.
  explicit LogPartition(std::string_view saved);
  ~LogPartition();
  LogPartition(LogPartition&&) noexcept;
  LogPartition& operator=(LogPartition&&) noexcept;

  std::size_t num_rows() const;
  // Answers a request of fit_partitions.
  std::string answer(std::string_view request) const;
  // Returns the partition as bytes, to move it to another process.
  std::string saved() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Sends requests to the partitions and returns their answers, in the order of the partitions. If
// there is one request, it goes to every partition. Otherwise there is one request per partition; an
// empty request is not sent, and its answer is empty.
using AskPartitions = std::function<std::vector<std::string>(const std::vector<std::string>&)>;

// Fits the model to the rows of all partitions: chooses on a sample, which it copies from the
// partitions, and finishes on all rows. The sums of the partitions are added in the order of the
// partitions, so the bits of the model depend on how the rows are divided, but not on when answers
// arrive. A log that is not large, or has few groups, is copied as a whole. Throws an Error if the
// options need all rows in one process: other methods, posterior draws, the gate mlp.
Fitted fit_partitions(std::string_view plan, const AskPartitions& ask, const FitOptions& options,
                      const Progress& progress = {});

}  // namespace otss
