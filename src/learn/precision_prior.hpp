// Gamma priors on the penalty's strengths, which are precisions of normal priors: with them the log itself says how
// far experts differ and how steep the gate is.
#pragma once

#include <span>

#include "base/random.hpp"
#include "learn/penalty.hpp"

namespace otss {

struct GammaPrior {
  double shape = 1;
  double rate = 1;
};

struct PrecisionPriors {
  GammaPrior gate;
  GammaPrior gate_intercept;
  GammaPrior expert;
  GammaPrior center;
  GammaPrior baseline;

  // For contexts and factors in standardised units. The gate's logits have a prior standard deviation around 1.5 for
  // any number of columns.
  static PrecisionPriors standard(const MixtureLayout& layout);

  // A Gibbs step: the strengths given theta. The experts' common centre, which theta does not hold, is drawn on the
  // way; the gate's common part is integrated out.
  Penalty draw(const MixtureLayout& layout, std::span<const double> theta, const Penalty& current, Rng& rng) const;

  // With the normals' own constants, up to a constant: -(loss + penalty) + log_density is the log posterior.
  double log_density(const MixtureLayout& layout, const Penalty& penalty) const;
};

}  // namespace otss
