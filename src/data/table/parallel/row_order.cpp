#include "data/table/parallel/row_order.hpp"

#include <utility>

namespace otss::internal {

void RowOrder::put(std::size_t first_row, std::size_t num_rows, std::function<void()> use) {
  std::unique_lock lock(mutex_);
  if (error_) std::rethrow_exception(error_);
  waiting_.emplace(first_row, Part{num_rows, std::move(use)});
  if (in_use_) return;
  in_use_ = true;
  while (!waiting_.empty() && waiting_.begin()->first == next_row_) {
    const Part part = std::move(waiting_.extract(waiting_.begin()).mapped());
    next_row_ += part.num_rows;
    if (!part.use) continue;
    lock.unlock();
    try {
      part.use();
      lock.lock();
    } catch (...) {
      lock.lock();
      // in_use_ stays true, so that no thread calls a function of a later part.
      error_ = std::current_exception();
      throw;
    }
  }
  in_use_ = false;
}

void RowOrder::rethrow() {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
}

}  // namespace otss::internal
