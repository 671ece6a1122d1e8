// Ranks are processes that share the rows of a table. Each has consecutive rows, in the order of the
// ranks. MpiJob (otss/mpi.hpp) gives the ranks of an MPI job.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace otss {

// All ranks must call the same functions in the same order. A call returns when all ranks that it
// needs have called it. Messages are bytes in the order of this machine, so all ranks must run on
// machines of the same kind.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;  // from 0 on
  virtual int size() const = 0;  // the number of ranks
  // The number of ranks on the machine of this rank. While this rank works alone, it may use the cores
  // of the others, which wait without using them (share).
  virtual int num_on_machine() const { return 1; }
  // The cores of that machine which MPI lets its ranks use, divided by their number; at least 1. As many
  // threads has a rank unless the user says otherwise.
  virtual int num_cores() const { return 1; }

  // The number of this rank among those on the same machine, from 0 on.
  virtual int rank_on_machine() const { return rank(); }

  // Calls `step` on one rank after the other. It gets the bytes that the rank before it returned, or
  // none on rank 0. Returns the bytes of the last rank on all ranks. So a sum whose order matters has
  // the same bits as in one process, and the time grows with the number of ranks by the time of a
  // step and of a message.
  using Step = std::function<std::string(std::string before)>;
  virtual std::string fold(const Step& step) = 0;

  // Returns the bytes of rank 0 on all ranks. A rank that waits for them for long sleeps meanwhile.
  virtual std::string share(std::string bytes) = 0;

  // Returns the bytes of all ranks, in their order, on rank 0. Returns an empty list on other ranks.
  virtual std::vector<std::string> gather(std::string bytes) = 0;

  // Brings any number of messages from each other rank to rank 0. On other ranks, `next` is called
  // until it returns an empty text, and each text is a message. On rank 0, `use` is called with each
  // message: those of rank 1 in the order in which they were made, then those of rank 2, and so on.
  // Rank 0 has only one message in memory at a time.
  using Next = std::function<std::string()>;
  using Use = std::function<void(const std::string& message)>;
  virtual void collect(const Next& next, const Use& use) = 0;
};

// Returns true for rank 0, and if there is only one process, for which `ranks` is null.
inline bool is_first(const Ranks* ranks) { return ranks == nullptr || ranks->rank() == 0; }

// Calls `step` on one rank after the other, as Ranks::fold does. It changes the value that the rank
// before it has left; rank 0 gets `value`. Returns the value of the last rank on all ranks.
template <class Value>
requires std::is_trivially_copyable_v<Value> Value folded(Ranks& ranks, Value value,
                                                          const std::function<void(Value&)>& step) {
  const std::string last = ranks.fold([&](const std::string& before) {
    if (!before.empty()) std::memcpy(&value, before.data(), sizeof(Value));
    step(value);
    return std::string(reinterpret_cast<const char*>(&value), sizeof(Value));
  });
  std::memcpy(&value, last.data(), sizeof(Value));
  return value;
}

// Returns the sums of each count over all ranks, on all ranks. All ranks give as many counts.
std::vector<std::uint64_t> summed_counts(Ranks& ranks, std::vector<std::uint64_t> counts);

}  // namespace otss
