// Ranks that are threads of one process, for tests.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "otss/base/ranks.hpp"

namespace otss::test {

// What the threads of a job share: the message that the last call made, and how many calls were made.
struct Channel {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> messages;  // of each rank
  std::vector<std::size_t> calls;     // how many messages each rank has sent
};

// Every call is one round in which each rank sends one message. A rank reads messages of a round when
// they are there, and starts the next round when all ranks have read them.
class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(Channel& channel, int rank) : channel_(channel), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(channel_.messages.size()); }

  std::string fold(const Step& step) override {
    std::string bytes = step(rank_ == 0 ? std::string() : read(rank_ - 1));
    send(bytes);
    bytes = read(size() - 1);
    end_round();
    return bytes;
  }
  std::string share(std::string bytes) override {
    send(bytes);
    bytes = read(0);
    end_round();
    return bytes;
  }
  std::vector<std::string> gather(std::string bytes) override {
    send(bytes);
    std::vector<std::string> all;
    for (int other = 0; other < size() && rank_ == 0; ++other) all.push_back(read(other));
    end_round();
    return all;
  }
  void collect(const Next& next, const Use& use) override {
    for (int from = 1; from < size(); ++from) {
      for (bool is_last = false; !is_last;) {
        if (rank_ == from) send(next());
        const std::string message = read(from);
        is_last = message.empty();
        if (rank_ == 0 && !is_last) use(message);
        end_round();
      }
    }
  }

 private:
  void send(const std::string& bytes) {
    const std::lock_guard lock(channel_.mutex);
    channel_.messages[rank_] = bytes;
    channel_.calls[rank_] = 2 * round_ + 1;
    channel_.changed.notify_all();
  }
  std::string read(int other) {
    std::unique_lock lock(channel_.mutex);
    channel_.changed.wait(lock, [&] { return channel_.calls[other] >= 2 * round_ + 1; });
    return channel_.messages[other];
  }
  void end_round() {
    std::unique_lock lock(channel_.mutex);
    channel_.calls[rank_] = 2 * round_ + 2;
    channel_.changed.notify_all();
    channel_.changed.wait(lock, [&] {
      return std::ranges::all_of(channel_.calls,
                                 [&](std::size_t calls) { return calls >= 2 * round_ + 2; });
    });
    ++round_;
  }

  Channel& channel_;
  int rank_;
  std::size_t round_ = 0;
};

// Runs `body` on so many ranks.
inline void on_ranks(int size, const std::function<void(Ranks&)>& body) {
  Channel channel{.messages = std::vector<std::string>(size),
                  .calls = std::vector<std::size_t>(size, 0)};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadRanks ranks(channel, rank);
      body(ranks);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace otss::test
