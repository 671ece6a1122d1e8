// Averages models of one method that were fitted with different settings.
#pragma once

#include <vector>

#include "learn/deploy/standardised_model.hpp"

namespace otss::internal {

struct WeightedModel {
  double weight = 0;  // only the ratios of the weights matter
  StandardisedModel model;
};

// Returns the average of the models. All models have scorers of the same form: mixtures, linear
// weights, networks or trees. The weights w(x) of the average are the average of the models'
// weights, exactly, and the score of trees is the average of the scores:
//
//   mixtures         one mixture with the experts of all models (AverageGate)
//   linear weights   the average of slopes and intercepts
//   networks         one network with the hidden units of all models
//   trees            the trees of all models, with scaled leaves
//
// The baseline is averaged too. If the models mix probabilities, the average of their probabilities
// would need a baseline for each model, because a probability is not linear in the baseline. The
// average then keeps each model's intercept, but has the average of the slopes.
StandardisedModel averaged_model(std::vector<WeightedModel> models);

// Returns `pooled`, a mixture of one expert, as a model with the same form of scorer as `form`, so
// that both can be averaged. Precondition: `form` has weights.
StandardisedModel with_form_of(const StandardisedModel& form, const StandardisedModel& pooled);

}  // namespace otss::internal
