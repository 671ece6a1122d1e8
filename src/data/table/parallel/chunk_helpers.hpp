// ChunkHelpers are threads that take over chunks from threads that read. A reader of Parquet reads
// whole row groups, so near the end of a table, or if a table has few row groups, some threads have
// nothing to read.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "otss/data/table.hpp"

namespace otss::internal {

// Who helps with a table of row groups, and from which row on.
struct HelpWithGroups {
  int num_helpers = 0;
  std::size_t first_row = 0;
};

// The threads read one row group each, in order, until fewer groups are left than threads. As many
// helpers as threads have no group left then help with the last groups. With many groups per thread
// there is no need: such a table is hardly read faster by helpers.
HelpWithGroups help_with_groups(std::size_t num_rows, std::size_t num_groups, int num_threads);

class ChunkHelpers {
 public:
  // Starts `num_helpers` threads, or as many as the system allows. Each calls `use` for the chunks that it takes over.
  ChunkHelpers(int num_helpers, std::function<void(const TableChunk&)> use);
  // Waits until the helpers have used the chunks that they have begun. Other chunks are dropped.
  ~ChunkHelpers();
  ChunkHelpers(const ChunkHelpers&) = delete;
  ChunkHelpers& operator=(const ChunkHelpers&) = delete;

  // Copies the chunk for a helper that has nothing to do. Returns false if there is none; then the
  // caller must use the chunk itself. If `use` has thrown in a helper, throws its first exception.
  bool take_over(const TableChunk& chunk);

  // Waits until all chunks have been used. If `use` has thrown, throws its first exception.
  void finish();

 private:
  class OwnedChunk;
  void run();

  std::function<void(const TableChunk&)> use_;
  std::mutex mutex_;  // protects the members below, except for threads_
  std::condition_variable chunk_waits_, helper_is_idle_;
  std::queue<std::unique_ptr<OwnedChunk>> waiting_;
  int num_helpers_ = 0;
  int num_idle_ = 0;  // helpers that have nothing to do, less chunks that wait for them
  bool stops_ = false;
  std::exception_ptr error_;
  std::vector<std::jthread> threads_;
};

}  // namespace otss::internal
