// The processes of an MPI job.
#pragma once

#include <memory>

#include "otss/base/ranks.hpp"

namespace otss::internal {

// Returns the processes of MPI_COMM_WORLD. MPI must have been initialised.
std::unique_ptr<Ranks> make_mpi_ranks();

}  // namespace otss::internal
