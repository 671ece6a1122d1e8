// Ranks are processes that share the rows of a log. Each has consecutive rows, in the order of the
// ranks.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace otss::internal {

// All ranks must call the same functions in the same order. A call returns when all ranks that it
// needs have called it. Messages are bytes in the order of this machine, so all ranks must run on
// machines of the same kind.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;  // from 0 on
  virtual int size() const = 0;  // the number of ranks

  // Calls `step` on one rank after the other. It gets the bytes that the rank before it returned, or
  // none on rank 0. Returns the bytes of the last rank on all ranks. So a sum whose order matters has
  // the same bits as in one process, and the time grows with the number of ranks by the time of a
  // step and of a message.
  using Step = std::function<std::string(std::string before)>;
  virtual std::string fold(const Step& step) = 0;

  // Returns the bytes of rank 0 on all ranks.
  virtual std::string share(std::string bytes) = 0;

  // Returns the bytes of all ranks, in their order, on rank 0. Returns an empty list on other ranks.
  virtual std::vector<std::string> gather(std::string bytes) = 0;
};

}  // namespace otss::internal
