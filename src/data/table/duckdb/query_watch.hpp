// Ends a statement of DuckDB that takes too long, or when a signal arrives.
#pragma once

#include <duckdb.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace otss::internal::duck {

// Counts the time that DuckDB works, which does not include the time in which nobody asks for rows.
// A thread of its own looks at the clock, because a call of DuckDB may take as long as it likes.
class QueryWatch {
 public:
  // An infinite number of seconds: only signals are watched for.
  QueryWatch(duckdb_connection connection, double seconds);
  ~QueryWatch();
  QueryWatch(const QueryWatch&) = delete;
  QueryWatch& operator=(const QueryWatch&) = delete;

  // DuckDB works from start() to stop().
  void start();
  void stop();
  bool time_is_up() const;

 private:
  using Clock = std::chrono::steady_clock;

  void watch();
  bool must_end() const;

  duckdb_connection connection_;
  std::chrono::duration<double> limit_;
  std::chrono::duration<double> used_{0};  // in calls that have ended
  Clock::time_point started_;
  bool works_ = false;
  bool time_is_up_ = false;
  bool ended_ = false;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;  // declared last, because the thread uses the members above
};

}  // namespace otss::internal::duck
