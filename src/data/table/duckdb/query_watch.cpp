#include "data/table/duckdb/query_watch.hpp"

#include "base/interrupt.hpp"

namespace otss::internal::duck {

QueryWatch::QueryWatch(duckdb_connection connection, double seconds)
    : connection_(connection), limit_(seconds), thread_([this] { watch(); }) {}

QueryWatch::~QueryWatch() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void QueryWatch::start() {
  const std::lock_guard lock(mutex_);
  started_ = Clock::now();
  works_ = true;
}

void QueryWatch::stop() {
  const std::lock_guard lock(mutex_);
  used_ += Clock::now() - started_;
  works_ = false;
}

bool QueryWatch::time_is_up() const {
  const std::lock_guard lock(mutex_);
  return time_is_up_;
}

bool QueryWatch::must_end() const {
  return is_interrupted() || (works_ && used_ + (Clock::now() - started_) > limit_);
}

void QueryWatch::watch() {
  constexpr auto kLookEvery = std::chrono::milliseconds(20);
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kLookEvery, [this] { return ended_; })) {
    if (!must_end()) continue;
    time_is_up_ = true;
    duckdb_interrupt(connection_);
  }
}

}  // namespace otss::internal::duck
