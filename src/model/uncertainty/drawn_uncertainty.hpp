// A DrawnUncertainty describes the estimation error by draws of the mixture's parameters, from
// posteriors or from the normal laws of penalised fits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/uncertainty/mixture_size.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss::internal {

// Each draw is a mixture. Draws may have different numbers of experts. A departure is a draw's
// weights minus the mean weights of all draws of the same posterior. So departures measure the
// spread within each posterior. Differences between posteriors are left out, because the deployed
// model is the average of the posteriors. Penalised fits are too sure of their own settings, so
// differences between them count: the draws of all fits have the same posterior number.
class DrawnUncertainty final : public Uncertainty {
 public:
  static constexpr std::size_t kMostDraws = 200;

  struct Draw {
    int num_experts = 1;
    // The number of the posterior that the draw comes from. Draws of one posterior are consecutive.
    std::size_t posterior = 0;
    std::vector<double> parameters;  // parameters of the weights, ordered as in MixtureSize
    // The parameters of the baseline, ordered as in MixtureSize. This list is empty in all draws if
    // the error of the baseline is not known.
    std::vector<double> baseline = {};
  };

  // With `quadratic`, the columns of the gates are all monomials of the context up to degree two.
  // All departures are multiplied by `spread`.
  DrawnUncertainty(int num_contexts, int num_factors, bool quadratic, std::vector<Draw> draws,
                   double spread = 1);

  int num_contexts() const override { return num_contexts_; }
  int num_factors() const override { return num_factors_; }
  int num_draws() const override { return static_cast<int>(draws_.size()); }
  void combined_departures(std::span<const double> x, std::span<const double> coefficients,
                           std::span<double> out) const override;
  void joint_departures(std::span<const double> x, const ExpertEffects& effects,
                        std::span<double> out) const override;

  bool knows_baseline() const override { return !draws_.front().baseline.empty(); }
  Bounds predictor_interval(std::span<const double> x, std::span<const double> centered_z,
                            const ExpertEffects& effects, double level) const override;

  // Computes draws of the error of one expert's weights, num_draws() × J. `expert` has the weights
  // of the deployed expert. Among the draws with the same posterior and the same number of experts,
  // the expert whose mean weights over these draws are nearest to it takes its place, and errors
  // count from this mean: posteriors number their experts in orders of their own. `scales` are the
  // standard deviations of the factors, by which distances are measured.
  void expert_departures(std::span<const double> expert, std::span<const double> scales,
                         std::span<double> out) const;

  const std::vector<Draw>& draws() const { return draws_; }
  bool quadratic() const { return quadratic_; }
  double spread() const { return spread_; }

 protected:
  void interval_of_each(std::span<const double> departures, double level, std::span<double> lo,
                        std::span<double> hi) const override;

 private:
  // Adds `coefficient` times the weights of each draw in context x to `out`, which has one row per
  // draw.
  void add_weights(std::span<const double> x, double coefficient, std::span<double> out) const;
  // Returns, for the draws from `first` to `end`, which have equally many experts, the number of the expert whose
  // mean weights are nearest to `expert`.
  int nearest_expert(std::size_t first, std::size_t end, std::span<const double> expert,
                     std::span<const double> scales) const;
  MixtureSize size_of(const Draw& draw) const;
  // `rows` has one row per draw. Subtracts from each row the mean row of the draws of the same
  // posterior, and multiplies the difference by spread_.
  void count_from_posterior_means(std::span<double> rows) const;

  int num_contexts_;
  int num_factors_;
  bool quadratic_;
  std::vector<Draw> draws_;
  double spread_;
};

}  // namespace otss::internal
