#include "model/maps/linear_gate.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "base/isa.hpp"
#include "model/maps/isa/weights_kernel.hpp"
#include "model/maps/kernel_scratch.hpp"
#include "model/maps/padded_rows.hpp"

namespace otss::internal {

namespace {

// Returns a - b. If the difference overflows, it is the largest number: an infinite slope would make
// NaN of a context value of 0.
double finite_difference(double a, double b) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  return std::clamp(a - b, -kLargest, kLargest);
}

}  // namespace

struct LinearGate::Packed {
  PaddedRows intercepts;
  PaddedRows columns;
  PackedGate view;

  explicit Packed(const LinearGate& gate)
      : intercepts(1, gate.intercepts_.size()),
        columns(gate.num_contexts_, gate.intercepts_.size()) {
    const std::size_t p = gate.num_contexts_;
    const std::size_t last = gate.intercepts_.size() - 1;
    for (std::size_t k = 0; k < gate.intercepts_.size(); ++k) {
      intercepts.at(0, k) = finite_difference(gate.intercepts_[k], gate.intercepts_[last]);
      for (std::size_t j = 0; j < p; ++j)
        columns.at(j, k) = finite_difference(gate.slopes_[k * p + j], gate.slopes_[last * p + j]);
    }
    view = {p, gate.intercepts_.size(), intercepts.data(), columns.data()};
  }
};

LinearGate::LinearGate(int num_contexts, std::vector<double> slopes, std::vector<double> intercepts)
    : num_contexts_(num_contexts), slopes_(std::move(slopes)), intercepts_(std::move(intercepts)) {
  assert(num_contexts >= 0 && !intercepts_.empty());
  assert(slopes_.size() == intercepts_.size() * num_contexts);
  packed_ = std::make_shared<const Packed>(*this);
}

const PackedGate& LinearGate::packed() const { return packed_->view; }

void LinearGate::shares(std::size_t rows, std::span<const double> x,
                        std::span<double> alpha) const {
  assert(x.size() == rows * num_contexts_ && alpha.size() == rows * intercepts_.size());
  KernelScratch scratch(rows, intercepts_.size());
  weights_kernel(active_isa()).shares(packed_->view, rows, x.data(), alpha.data(), scratch.data());
}

}  // namespace otss::internal
