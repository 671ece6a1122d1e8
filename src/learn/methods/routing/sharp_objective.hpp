// A mixture whose gate has a given sharpness: the objective of one stage of annealing.
//
// The gate's block D of theta tells a direction only; the gate is softmax(c sqrt(K-1) D / |D|
// [x,1]) (Frobenius norm), so that c is about the spread of its scores. Without this a gate grows
// only as sharp as the log says, and a soft truth is never routed hard.
#pragma once

#include <vector>

#include "model/maps/mixture_layout.hpp"
#include "optim/objective.hpp"

namespace otss {

class SharpObjective final : public Objective {
 public:
  // `soft` takes theta of `layout`; K must be at least 2.
  SharpObjective(Objective& soft, const MixtureLayout& layout, double sharpness);

  std::size_t size() const override { return soft_.size(); }
  double evaluate(std::span<const double> theta, std::span<double> gradient) override;

 private:
  Objective& soft_;
  std::size_t gate_size_;
  double length_;  // of the gate's block
};

}  // namespace otss
