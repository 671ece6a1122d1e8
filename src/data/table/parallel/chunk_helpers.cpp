#include "data/table/parallel/chunk_helpers.hpp"

#include <deque>
#include <string>
#include <system_error>
#include <utility>

namespace otss::internal {

HelpWithGroups help_with_groups(std::size_t num_rows, std::size_t num_groups, int num_threads) {
  constexpr std::size_t kManyGroups = 4;
  const auto threads = static_cast<std::size_t>(num_threads);
  const std::size_t in_last_round = num_groups % threads;
  if (num_groups >= kManyGroups * threads || in_last_round == 0) return {};
  const std::size_t before = num_groups - in_last_round;
  return {static_cast<int>(threads - in_last_round), num_rows * before / num_groups};
}

// A copy of a chunk, with the memory of its values.
class ChunkHelpers::OwnedChunk {
 public:
  explicit OwnedChunk(const TableChunk& chunk) : chunk_(chunk) {
    for (ColumnChunk& column : chunk_.columns) {
      if (column.kind == ColumnKind::kNumber) {
        column.numbers = numbers_.emplace_back(column.numbers.begin(), column.numbers.end());
      } else {
        column.texts = copy(column.texts);
      }
    }
  }
  const TableChunk& chunk() const { return chunk_; }

 private:
  std::span<const std::string_view> copy(std::span<const std::string_view> texts) {
    std::size_t size = 1;  // so that an empty text is not a missing text, which has no data
    for (const std::string_view text : texts) size += text.size();
    std::string& bytes = bytes_.emplace_back();
    bytes.reserve(size);  // the bytes must not move, because views point to them
    auto& views = texts_.emplace_back();
    for (const std::string_view text : texts) {
      const char* begin = bytes.data() + bytes.size();
      bytes += text;
      views.push_back(text.data() == nullptr ? text : std::string_view(begin, text.size()));
    }
    return views;
  }

  TableChunk chunk_;
  std::deque<std::vector<double>> numbers_;
  std::deque<std::string> bytes_;
  std::deque<std::vector<std::string_view>> texts_;
};

ChunkHelpers::ChunkHelpers(int num_helpers, std::function<void(const TableChunk&)> use)
    : use_(std::move(use)) {
  const std::lock_guard lock(mutex_);
  try {
    for (; num_helpers_ < num_helpers; ++num_helpers_) threads_.emplace_back([this] { run(); });
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): fewer threads are enough
  }
  num_idle_ = num_helpers_;
}

ChunkHelpers::~ChunkHelpers() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  chunk_waits_.notify_all();
}

bool ChunkHelpers::take_over(const TableChunk& chunk) {
  {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    if (num_idle_ == 0) return false;
    --num_idle_;
  }
  auto copy = std::make_unique<OwnedChunk>(chunk);
  {
    const std::lock_guard lock(mutex_);
    waiting_.push(std::move(copy));
  }
  chunk_waits_.notify_one();
  return true;
}

void ChunkHelpers::finish() {
  std::unique_lock lock(mutex_);
  helper_is_idle_.wait(lock, [this] { return num_idle_ == num_helpers_ || error_; });
  if (error_) std::rethrow_exception(error_);
}

void ChunkHelpers::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    chunk_waits_.wait(lock, [this] { return stops_ || !waiting_.empty(); });
    if (stops_) return;
    const std::unique_ptr<OwnedChunk> next = std::move(waiting_.front());
    waiting_.pop();
    lock.unlock();
    std::exception_ptr error;
    try {
      use_(next->chunk());
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && !error_) error_ = error;
    ++num_idle_;
    helper_is_idle_.notify_one();
  }
}

}  // namespace otss::internal
