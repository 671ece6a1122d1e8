#include <gtest/gtest.h>

#include <cmath>

#include "lab/histories/history_methods.hpp"
#include "lab/worlds/truth.hpp"
#include "model/fitted_parts.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/units.hpp"

namespace otss {
namespace {

using namespace internal;

// Returns a covariance of (v, u) in the log's units, for standardised factors: with the scale s_j and
// the centre c_j of a factor, the deviations are u_j s_j and v + sum_j u_j c_j.
std::vector<double> standardised(const std::vector<double>& sigma, const Encoder& encoder) {
  const std::size_t size = 1 + encoder.factors.size();
  std::vector<double> rows(size * size, 0.0);  // the matrix that standardises (v, u)
  rows[0] = 1;
  for (std::size_t j = 1; j < size; ++j) {
    rows[j] = encoder.factors[j - 1].center;
    rows[j * size + j] = encoder.factors[j - 1].scale;
  }
  std::vector<double> result(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k < size; ++k) {
        for (std::size_t l = 0; l < size; ++l)
          result[i * size + j] += rows[i * size + k] * sigma[k * size + l] * rows[j * size + l];
      }
      result[j * size + i] = result[i * size + j];
    }
  }
  return result;
}

class WithHistory : public testing::Test {
 protected:
  // A model that knows the true covariance of the deviations.
  Fitted model() const {
    const Fitted population = fit(training_log(trial_.simulation), {.method = Method::kPooled});
    Fitted::Parts parts = population.parts();
    parts.roles.unit = "unit";
    parts.deviations = Deviations{DeviationForm::kFull, 1 + trial_.simulation.num_factors,
                                  standardised(panel_covariance(spec_), population.encoder())};
    return Fitted(std::move(parts));
  }

  double weight_error(const Fitted& fitted, std::size_t rows) const {
    return score_test_weights(trial_.simulation, weights_with_history(trial_, fitted, rows))
        .weight_mse;
  }

  const PanelSpec spec_{.units = 500, .rows = 10, .experts = 1, .seed = 6};
  const PanelTrial trial_ = simulate_panel_trial(spec_, 300, 50);
};

TEST_F(WithHistory, WeightsAreThoseOfTheContextWithoutRows) {
  const Fitted fitted = model();
  EXPECT_EQ(weights_with_history(trial_, fitted, 0), test_weights(trial_.simulation, fitted));
}

TEST_F(WithHistory, WeightsApproachThoseOfTheUnitWithMoreRows) {
  const Fitted fitted = model();
  const double none = weight_error(fitted, 0);
  // J · spread² = 2.16 and the error of the population's weights; 300 units.
  EXPECT_NEAR(none, 2.16, 0.5);
  EXPECT_LT(weight_error(fitted, 5), 0.95 * none);
  EXPECT_LT(weight_error(fitted, 20), 0.75 * none);
  EXPECT_LT(weight_error(fitted, 50), 0.55 * none);
}

TEST_F(WithHistory, TheWeightsOfAModelWithoutDeviationsDoNotDependOnRows) {
  const Fitted fitted = fit(training_log(trial_.simulation), {.method = Method::kPooled});
  EXPECT_EQ(weights_with_history(trial_, fitted, 50), test_weights(trial_.simulation, fitted));
}

}  // namespace
}  // namespace otss
