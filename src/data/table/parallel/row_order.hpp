// A RowOrder lets threads work on parts of a table at the same time, and use their results in row
// order.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <mutex>

namespace otss::internal {

// Every row must be part of exactly one put(). The thread whose part comes next in row order also
// calls the functions of the parts that wait behind it, so no thread waits for another.
class RowOrder {
 public:
  // `first_row` is the number of the first row of all parts.
  explicit RowOrder(std::size_t first_row = 0) : next_row_(first_row) {}

  // Calls `use` after the functions of all earlier rows have been called. Calls are made one at a
  // time. An empty function only counts the rows. If a function throws, the calling put() throws
  // the exception, and no function is called any more.
  void put(std::size_t first_row, std::size_t num_rows, std::function<void()> use);

  // Throws again what a function threw, if a function threw.
  void rethrow();

 private:
  struct Part {
    std::size_t num_rows;
    std::function<void()> use;
  };

  std::mutex mutex_;
  std::map<std::size_t, Part> waiting_;  // by the number of the first row
  std::size_t next_row_;
  bool in_use_ = false;  // true while a thread calls functions
  std::exception_ptr error_;
};

// Calls `work`, which returns a function for RowOrder::put, and returns this function. If `work`
// throws, the result is a function that throws the exception.
template <class Work, class... Arguments>
std::function<void()> finished(const Work& work, const Arguments&... arguments) {
  try {
    return work(arguments...);
  } catch (...) {
    return [error = std::current_exception()] { std::rethrow_exception(error); };
  }
}

}  // namespace otss::internal
