#include "engine/mpi/mpi_ranks.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <utility>

#include "otss/mpi.hpp"

namespace otss::internal {
namespace {

// MPI counts bytes with an int, so longer messages are sent in parts.
constexpr std::size_t kMostBytes = 1U << 30U;

// Calls transfer(begin, count) for parts of a message of `size` bytes.
template <class Transfer>
void in_parts(std::size_t size, const Transfer& transfer) {
  for (std::size_t begin = 0; begin < size; begin += kMostBytes)
    transfer(begin, static_cast<int>(std::min(kMostBytes, size - begin)));
}

void send(const std::string& bytes, int to) {
  const std::uint64_t size = bytes.size();
  MPI_Send(&size, 1, MPI_UINT64_T, to, 0, MPI_COMM_WORLD);
  in_parts(bytes.size(), [&](std::size_t begin, int count) {
    MPI_Send(bytes.data() + begin, count, MPI_BYTE, to, 0, MPI_COMM_WORLD);
  });
}

std::string receive(int from) {
  std::uint64_t size = 0;
  MPI_Recv(&size, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::string bytes(size, '\0');
  in_parts(bytes.size(), [&](std::size_t begin, int count) {
    MPI_Recv(bytes.data() + begin, count, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  return bytes;
}

// Returns when all ranks have called this function. MPI's own functions wait in a busy loop, which
// takes a core from the rank that works meanwhile. So a rank that waits for long sleeps.
void sleep_until_all_are_here() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kBusy(200), kSleep(50);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  const auto begin = Clock::now();
  for (int is_complete = 0;;) {
    MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
    if (is_complete != 0) return;
    if (Clock::now() - begin > kBusy) std::this_thread::sleep_for(kSleep);
  }
}

std::string broadcast(std::string bytes, int from) {
  std::uint64_t size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, from, MPI_COMM_WORLD);
  bytes.resize(size);
  in_parts(bytes.size(), [&](std::size_t begin, int count) {
    MPI_Bcast(bytes.data() + begin, count, MPI_BYTE, from, MPI_COMM_WORLD);
  });
  return bytes;
}

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    meet_ranks_on_machine();
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int rank_on_machine() const override { return rank_on_machine_; }
  int num_on_machine() const override { return num_on_machine_; }
  int num_cores() const override { return num_cores_; }

  std::string fold(const Step& step) override {
    std::string bytes = step(rank_ == 0 ? std::string() : receive(rank_ - 1));
    if (rank_ + 1 < size_) send(bytes, rank_ + 1);
    return broadcast(std::move(bytes), size_ - 1);
  }
  std::string share(std::string bytes) override {
    sleep_until_all_are_here();
    return broadcast(std::move(bytes), 0);
  }

  std::vector<std::string> gather(std::string bytes) override {
    if (rank_ > 0) {
      send(bytes, 0);
      return {};
    }
    std::vector<std::string> all{std::move(bytes)};
    for (int from = 1; from < size_; ++from) all.push_back(receive(from));
    return all;
  }

  void collect(const Next& next, const Use& use) override {
    if (rank_ > 0) {
      for (std::string message = next(); !message.empty(); message = next()) send(message, 0);
      send("", 0);
      return;
    }
    for (int from = 1; from < size_; ++from) {
      for (std::string message = receive(from); !message.empty(); message = receive(from))
        use(message);
    }
  }

 private:
  // Counts the ranks on the machine, and finds this one among them. MPI may have bound each of them to cores of its own. Rank 0 gets
  // the cores of all, for its work while they wait; threads that it starts later inherit them.
  void meet_ranks_on_machine() {
    MPI_Comm on_machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &on_machine);
    MPI_Comm_rank(on_machine, &rank_on_machine_);
    MPI_Comm_size(on_machine, &num_on_machine_);
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof(cores), &cores);
    MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof(cores), MPI_BYTE, MPI_BOR, on_machine);
    if (rank_ == 0) sched_setaffinity(0, sizeof(cores), &cores);
    num_cores_ = std::max(1, CPU_COUNT(&cores) / num_on_machine_);
    MPI_Comm_free(&on_machine);
  }

  int rank_ = 0, size_ = 1, rank_on_machine_ = 0, num_on_machine_ = 1, num_cores_ = 1;
};

}  // namespace

std::unique_ptr<Ranks> make_mpi_ranks() { return std::make_unique<MpiRanks>(); }

}  // namespace otss::internal

namespace otss {

MpiJob::MpiJob(int& argc, char**& argv) {
  int provided = 0;
  // Any thread may talk to other ranks, but only one at a time.
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  ranks_ = internal::make_mpi_ranks();
}

MpiJob::~MpiJob() { MPI_Finalize(); }

bool MpiJob::is_first() const { return ranks_->rank() == 0; }
int MpiJob::rank() const { return ranks_->rank(); }
int MpiJob::size() const { return ranks_->size(); }
Ranks& MpiJob::ranks() { return *ranks_; }

void MpiJob::abort(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();  // MPI_Abort does not return
}

}  // namespace otss
