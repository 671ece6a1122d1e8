// A RowGroupQueue lets the threads that make rows also encode them, and writes them in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>

#include "data/table/parallel/row_order.hpp"
#include "data/table/parquet/parquet_rows.hpp"

namespace otss::internal::parquet {

// No threads belong to the queue: help() works on the calling thread. At most a fixed number of row
// groups is in memory. Beyond it, threads encode what waits, or wait until groups have been written.
class RowGroupQueue {
 public:
  // `encode` returns a function that writes the encoded group. Several threads call `encode`; the
  // functions are called one at a time, in the order of the groups.
  using Encode = std::function<std::function<void()>(const RowGroup&)>;
  RowGroupQueue(std::size_t most_groups, Encode encode)
      : most_groups_(most_groups), encode_(std::move(encode)) {}

  void add(RowGroup group);  // adds the next group; must be called by one thread at a time
  // Encodes a group that waits, if one waits. If encoding or writing has failed, on whatever thread,
  // each function throws the exception.
  void help();
  void finish(int threads);  // encodes and writes all groups

 private:
  using Lock = std::unique_lock<std::mutex>;
  void make_room(Lock& lock);
  void encode_next(Lock& lock);

  const std::size_t most_groups_;
  const Encode encode_;
  RowOrder order_;    // a row of it is a whole group
  std::mutex mutex_;  // protects the members below
  std::condition_variable has_changed_;
  std::deque<RowGroup> waiting_;
  std::size_t num_added_ = 0, num_written_ = 0;
  std::exception_ptr error_;
};

}  // namespace otss::internal::parquet
