// The processes of an MPI job. Only the library otss_mpi has this class; otss itself does not need MPI.
#pragma once

#include <memory>

#include "otss/base/ranks.hpp"

namespace otss {

class MpiJob {
 public:
  // Initialises MPI. Make one object, at the beginning of main.
  MpiJob(int& argc, char**& argv);
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  int rank() const;
  int size() const;                          // the number of processes
  bool is_first() const;                     // true for rank 0
  Ranks& ranks();                            // all processes of the job
  [[noreturn]] static void abort(int code);  // ends all processes of the job

 private:
  std::unique_ptr<Ranks> ranks_;
};

}  // namespace otss
