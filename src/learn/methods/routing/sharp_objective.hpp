// Defines the objective of one stage of annealing (hard.cpp). It is the loss of a mixture whose
// gate has a given sharpness c. The shares are
//
//   alpha = softmax( c sqrt(K-1) D / |D| [x,1] )        |D|: Frobenius norm
//
// where D is the block of theta that has the gate's parameters. So only the direction of D matters,
// not its length, and c is about the standard deviation of the gate scores. If the length of D were
// free, the gate would stay as soft as the true gate, and would not become sharper from stage to
// stage.
#pragma once

#include <vector>

#include "model/maps/mixture_layout.hpp"
#include "optim/objective.hpp"

namespace otss::internal {

class SharpObjective final : public Objective {
 public:
  // `soft` is an objective whose parameters have the order of `layout`. Precondition: K >= 2.
  SharpObjective(Objective& soft, const MixtureLayout& layout, double sharpness);

  std::size_t size() const override { return soft_.size(); }
  double evaluate(std::span<const double> theta, std::span<double> gradient) override;

 private:
  Objective& soft_;
  std::size_t gate_size_;
  double length_;  // the gate's block is scaled to this norm, c sqrt(K-1)
};

}  // namespace otss::internal
