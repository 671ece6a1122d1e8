#include "data/table/parquet/row_group_queue.hpp"

#include <utility>

#include "base/threads.hpp"

namespace otss::internal::parquet {

void RowGroupQueue::add(RowGroup group) {
  Lock lock(mutex_);
  waiting_.push_back(std::move(group));
  ++num_added_;
  has_changed_.notify_one();
  make_room(lock);
}

void RowGroupQueue::help() {
  Lock lock(mutex_);
  if (error_) std::rethrow_exception(error_);
  if (!waiting_.empty()) encode_next(lock);
  make_room(lock);
}

void RowGroupQueue::finish(int threads) {
  parallel_for(waiting_.size(), threads, [&](std::size_t) {
    Lock lock(mutex_);
    if (!error_) encode_next(lock);
  });
  if (error_) std::rethrow_exception(error_);
}

// The first group that is not written yet waits here, or a thread is encoding or writing it. So a
// thread that waits for room always gets it.
void RowGroupQueue::make_room(Lock& lock) {
  while (!error_ && num_added_ - num_written_ > most_groups_) {
    if (waiting_.empty()) {
      has_changed_.wait(lock);
    } else {
      encode_next(lock);
    }
  }
  if (error_) std::rethrow_exception(error_);
}

void RowGroupQueue::encode_next(Lock& lock) {
  RowGroup group = std::move(waiting_.front());
  waiting_.pop_front();
  const std::size_t number = num_added_ - waiting_.size() - 1;
  lock.unlock();
  try {
    auto write = encode_(group);
    group = {};
    order_.put(number, 1, [this, write = std::move(write)] {
      write();
      const Lock counting(mutex_);
      ++num_written_;
      has_changed_.notify_all();
    });
    lock.lock();
  } catch (...) {
    lock.lock();
    if (!error_) error_ = std::current_exception();
    has_changed_.notify_all();
  }
}

}  // namespace otss::internal::parquet
