// A QueryWatch ends a DuckDB statement that takes too long. It also ends the statement when a
// signal arrives.
#pragma once

#include <duckdb.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace otss::internal::duck {

// The watch counts only the time that DuckDB works, not the time between two requests for rows. The
// clock is watched by a separate thread, because a call of DuckDB may take any time.
class QueryWatch {
 public:
  // `seconds` is the time that DuckDB may work. If `seconds` is infinite, only signals end the
  // statement.
  QueryWatch(duckdb_connection connection, double seconds);
  ~QueryWatch();
  QueryWatch(const QueryWatch&) = delete;
  QueryWatch& operator=(const QueryWatch&) = delete;

  // Call start() before each call of DuckDB, and stop() after the call.
  void start();
  void stop();
  bool time_is_up() const;

 private:
  using Clock = std::chrono::steady_clock;

  void watch();
  bool must_end() const;

  duckdb_connection connection_;
  std::chrono::duration<double> limit_;
  std::chrono::duration<double> used_{0};  // time that DuckDB worked in calls that have ended
  Clock::time_point started_;
  bool works_ = false;
  bool time_is_up_ = false;
  bool ended_ = false;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;  // declared last, because the thread uses the members above
};

}  // namespace otss::internal::duck
