// Measures what a reduction of otss-mpi costs: the time of a message from one rank to the next, and of
// adding one number of a chunk sum. For bench/scale/simulate.py. Build and run:
//
//   mpicxx -O3 -o reduction bench/scale/reduction.cpp
//   mpirun -n 2 reduction
//   mpirun -n 2 --mca btl tcp,self reduction      by way of TCP, as between machines
#include <mpi.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int kNumbers = 161;  // a loss and the gradient of 160 parameters
constexpr int kRounds = 20'000;

// Returns the microseconds in which a message with a chunk sum goes from one rank to another.
double message_us(int rank) {
  std::vector<double> sums(kNumbers, 1.0);
  const double begin = MPI_Wtime();
  for (int i = 0; i < kRounds; ++i) {
    const bool sends = (i % 2 == 0) == (rank == 0);
    if (sends) {
      MPI_Send(sums.data(), kNumbers, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(sums.data(), kNumbers, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return (MPI_Wtime() - begin) / kRounds * 1e6;
}

// Returns the nanoseconds in which one number of a chunk sum is added to the total.
double addition_ns() {
  constexpr int kChunks = 100'000;  // 129 MB, more than a cache holds
  const std::vector<double> chunks(static_cast<std::size_t>(kChunks) * kNumbers, 1e-3);
  std::vector<double> total(kNumbers, 0.0);
  const double begin = MPI_Wtime();
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    for (int i = 0; i < kNumbers; ++i)
      total[i] += chunks[static_cast<std::size_t>(chunk) * kNumbers + i];
  }
  const double seconds = MPI_Wtime() - begin;
  return total[0] > 0 ? seconds / kChunks / kNumbers * 1e9 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  message_us(rank);  // opens the connection
  const double message = message_us(rank);
  const double addition = addition_ns();
  if (rank == 0) std::printf("message %.2f us, addition %.3f ns a number\n", message, addition);
  MPI_Finalize();
}
