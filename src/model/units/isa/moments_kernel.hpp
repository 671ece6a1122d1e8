// A MomentsKernel computes the posteriors of several units at a time by expectation propagation
// (model/units/unit_moments.hpp). A lane of a vector is a unit. The result of a unit is bitwise the
// same whatever the other units are.
#pragma once

#include <cstddef>

#include "base/isa.hpp"

namespace otss::internal {

// The number of units of a task. It is a multiple of the number of lanes of every instruction set.
inline constexpr std::size_t kUnitsOfTask = 8;

// The data of a task. An entry of an array has kUnitsOfTask numbers, one per unit, and is 64-byte
// aligned. A triangle has the entries of the lower triangle of a symmetric matrix, row by row.
struct MomentsTask {
  std::size_t num_units;  // the units after these are not computed
  std::size_t rank;       // the number of coordinates
  std::size_t num_rows;   // the number of rows of the unit with most rows

  // The rows. A unit with fewer rows has rows of weight 0 and direction 0 at the end.
  const double* directions;  // rows × rank
  const double* offsets;     // one entry per row, as in the next two arrays
  const double* outcomes;
  const double* weights;
  // The distribution of the coordinates before the rows, in natural form.
  const double* prior_precision;    // a triangle
  const double* prior_information;  // `rank` entries

  // The sites of the rows: those to start from on entry, those of the posterior on return.
  double* site_precisions;
  double* site_informations;
  double* means;          // `rank` entries: the mean of the coordinates
  double* covariances;    // a triangle: their covariance
  double* factors;        // a triangle: the Cholesky factor of their precision; NaN if it overflows
  double* mean_outcomes;  // one entry per row: the mean of its outcome over the posterior
  double* log_masses;     // one entry per row: its part of the log evidence
  double* log_evidence;   // one entry
  double* converged;      // one entry: 1 if the sites have converged, else 0
  double* scratch;        // a triangle and `rank` entries
  bool with_evidence;     // false: log_masses and log_evidence are not computed
};

struct MomentsKernel {
  void (*bernoulli)(const MomentsTask& task);
  void (*gaussian)(const MomentsTask& task);  // the noise has the variance 1 / weight
  // The log evidence is that of the loss mean - outcome × eta.
  void (*poisson)(const MomentsTask& task);
};

const MomentsKernel& moments_kernel(Isa isa);  // defined in model/units/moments_kernel.cpp

namespace baseline {
extern const MomentsKernel kMomentsKernel;
}
namespace avx2 {
extern const MomentsKernel kMomentsKernel;
}
namespace avx512 {
extern const MomentsKernel kMomentsKernel;
}

}  // namespace otss::internal
