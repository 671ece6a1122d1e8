// A SumRequest asks for one sum over rows. It can be sent to another process, which answers it for its
// own rows (row_chunks.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "base/ranks/message.hpp"
#include "engine/outcomes.hpp"
#include "engine/precision.hpp"
#include "model/maps/mixed_experts.hpp"
#include "model/maps/mixture_layout.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {

// What the sums of a fit are about: how outcomes enter the loss, and which columns the gate has.
struct SumTarget {
  OutputFamily family = {};
  OutcomeUnits units = {};
  bool quadratic = false;  // true if the contexts are replaced by their monomials up to degree two
};

enum class RowSum {
  kLossAndGradient,  // the loss, then the gradient: 1 + theta.size() numbers
  // w v J J' (gauss_newton.hpp): theta.size()² numbers, column after column
  kGaussNewton,
  // w (y - mean)² / v, where v is the variance that the family assumes: one number
  kPearson,
};

struct SumRequest {
  RowSum what = RowSum::kLossAndGradient;
  MixtureLayout layout;
  std::vector<double> theta;
  Precision precision = Precision::kDouble;  // of kLossAndGradient; the other sums are f64
  Mixed mixed = Mixed::kPredictors;          // of kGaussNewton and of group scores

  // Returns how many numbers the sum has.
  std::size_t size() const {
    switch (what) {
      case RowSum::kLossAndGradient: return 1 + theta.size();
      case RowSum::kGaussNewton: return theta.size() * theta.size();
      case RowSum::kPearson: return 1;
    }
    return 0;
  }
};

inline void put(MessageWriter& writer, const SumRequest& request) {
  writer.put(request.what);
  writer.put(request.layout);
  writer.put(request.theta);
  writer.put(request.precision);
  writer.put(request.mixed);
}

// Reads what put() wrote.
inline SumRequest get_sum_request(MessageReader& reader) {
  SumRequest request;
  reader.get(request.what);
  reader.get(request.layout);
  reader.get(request.theta);
  reader.get(request.precision);
  reader.get(request.mixed);
  return request;
}

}  // namespace otss::internal
