// Items on their way from a thread that makes them to the one that uses them, a few at a time.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace otss::duck {

// `make` is called on a thread of its own, ahead of the taker by at most `kAhead` items, until it
// returns nothing or throws. Destroying the hand-off stops it after the item in hand.
template <class Item>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::function<std::optional<Item>()> make)
      : make_(std::move(make)), maker_([this] { run(); }) {}

  ~BoundedQueue() {
    {
      const std::lock_guard lock(mutex_);
      taker_left_ = true;
    }
    changed_.notify_all();
    maker_.join();
  }
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  // The next item, in the order they were made; nothing after the last. What `make` threw is thrown
  // here, after the items before it.
  std::optional<Item> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !made_.empty() || ended_; });
    if (made_.empty()) {
      if (error_) std::rethrow_exception(error_);
      return std::nullopt;
    }
    std::optional<Item> item = std::move(made_.front());
    made_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return item;
  }

 private:
  static constexpr std::size_t kAhead = 2;

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
    changed_.notify_all();
  }

  bool put(Item item) {  // false when nobody takes any more
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return made_.size() < kAhead || taker_left_; });
      if (taker_left_) return false;
      made_.push_back(std::move(item));
    }
    changed_.notify_all();
    return true;
  }

  std::function<std::optional<Item>()> make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> made_;
  bool ended_ = false;
  bool taker_left_ = false;
  std::exception_ptr error_;
  std::thread maker_;  // last: it uses all of the above
};

}  // namespace otss::duck
