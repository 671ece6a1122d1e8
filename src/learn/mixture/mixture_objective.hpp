#pragma once

#include "engine/engine.hpp"
#include "learn/mixture/penalty.hpp"
#include "optim/objective.hpp"

namespace otss::internal {

// Computes the objective (summed loss + penalty) / total row weight. It is a mean per row, so the
// optimizer's tolerances do not depend on the number of rows.
class MixtureObjective final : public Objective {
 public:
  MixtureObjective(const Engine& engine, const Penalty& penalty, Precision precision)
      : engine_(engine), penalty_(penalty), precision_(precision) {}

  std::size_t size() const override { return engine_.layout().size(); }
  double evaluate(std::span<const double> theta, std::span<double> gradient) override;

 private:
  const Engine& engine_;
  Penalty penalty_;
  Precision precision_;
};

}  // namespace otss::internal
