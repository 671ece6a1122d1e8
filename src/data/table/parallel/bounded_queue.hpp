// A BoundedQueue is a queue of limited length. One thread produces items, and one or more other
// threads take them.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace otss::internal::duck {

// The producer thread calls `make` until `make` returns nothing or throws. At most `capacity` items
// wait in the queue. The destructor lets the producer thread finish its current item and then stops
// the thread.
template <class Item>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::function<std::optional<Item>()> make, std::size_t capacity = 2)
      : make_(std::move(make)), capacity_(capacity), producer_([this] { run(); }) {}

  ~BoundedQueue() {
    {
      const std::lock_guard lock(mutex_);
      consumer_left_ = true;
    }
    has_room_.notify_one();
    producer_.join();
  }
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  // Returns the next item in order, or nothing after the last item. If `make` threw an exception,
  // take() first returns the items that were made before the exception, and then rethrows the
  // exception.
  std::optional<Item> take() {
    std::unique_lock lock(mutex_);
    has_items_.wait(lock, [this] { return !items_.empty() || ended_; });
    if (items_.empty()) {
      if (error_) std::rethrow_exception(error_);
      return std::nullopt;
    }
    std::optional<Item> item = std::move(items_.front());
    items_.pop_front();
    lock.unlock();
    has_room_.notify_one();
    return item;
  }

 private:
  void run() {
    std::exception_ptr error;
    try {
      for (auto item = make_(); item && put(std::move(*item)); item = make_()) {
      }
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      error_ = error;
    }
    has_items_.notify_all();
  }

  bool put(Item item) {  // returns false after the destructor has been called
    {
      std::unique_lock lock(mutex_);
      has_room_.wait(lock, [this] { return items_.size() < capacity_ || consumer_left_; });
      if (consumer_left_) return false;
      items_.push_back(std::move(item));
    }
    has_items_.notify_one();
    return true;
  }

  std::function<std::optional<Item>()> make_;
  std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable has_room_;   // for the producer
  std::condition_variable has_items_;  // for the threads that take items
  std::deque<Item> items_;
  bool ended_ = false;
  bool consumer_left_ = false;
  std::exception_ptr error_;
  std::thread producer_;  // the thread uses the members above, so it must be declared last
};

}  // namespace otss::internal::duck
