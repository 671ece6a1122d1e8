// A NormalUncertainty describes the estimation error by a normal distribution of the mixture's
// parameters.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/maps/soft_mixture.hpp"
#include "model/uncertainty/mixture_size.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss::internal {

// A matrix F that stands for the covariance F F' of some parameters. F has one row of `rank`
// entries per parameter. `rows` has all rows, one after the other.
struct CovarianceFactor {
  std::vector<double> rows = {};
  int rank = 0;
};

// The parameters have a normal distribution. Its mean is the model's parameters, and its covariance
// is F F', where F is a covariance factor. The delta method gives the distribution of w(x): it
// approximates w(x) by a linear function of the parameters.
class NormalUncertainty final : public Uncertainty {
 public:
  static constexpr int kMostRank = 200;
  static constexpr std::size_t kMostParameters = 3000;
  static constexpr int kMostFactors = 500;

  using Factor = CovarianceFactor;

  // `weights` is the factor of the weights' parameters, in the order of MixtureSize. `baseline` is
  // the factor of the baseline's parameters. If `baseline` has more columns than `weights`, the
  // entries of `weights` in these columns count as 0. An empty `baseline` means that the error of
  // the baseline is not known. The gate must be linear or quadratic.
  NormalUncertainty(std::shared_ptr<const SoftMixture> mixture, Factor weights,
                    Factor baseline = {});

  int num_contexts() const override { return mixture_->num_contexts(); }
  int num_factors() const override { return size_.num_factors; }
  int num_draws() const override;
  void combined_departures(std::span<const double> x, std::span<const double> coefficients,
                           std::span<double> out) const override;
  void joint_departures(std::span<const double> x, const ExpertEffects& effects,
                        std::span<double> out) const override;

  bool knows_baseline() const override { return !baseline_.rows.empty(); }
  Bounds predictor_interval(std::span<const double> x, std::span<const double> centered_z,
                            const ExpertEffects& effects, double level) const override;

  // Computes the covariance of w(x), J × J, row after row.
  void covariance(std::span<const double> x, std::span<double> out) const;

  // Returns the standard error of weight j of expert k.
  double expert_error(int k, int j) const;

  const Factor& factor() const { return factor_; }
  const Factor& baseline() const { return baseline_; }
  // num_draws() × (J + 1) standard normal draws, from which departures are computed. The second
  // half of the rows has the entries of the first half with opposite signs.
  std::span<const double> normals() const { return normals_; }

 protected:
  void interval_of_each(std::span<const double> departures, double level, std::span<double> lo,
                        std::span<double> hi) const override;

 private:
  // The comment of spread_of_weights in normal_uncertainty.cpp explains the symbols.
  //
  // Returns [c, 1]'F_k for every expert k: K rows of rank entries. `columns` are [c, 1].
  std::vector<double> spread_of_scores(std::span<const double> columns) const;
  // Returns (dw / dtheta) F: J rows of rank entries.
  std::vector<double> spread_of_weights(std::span<const double> x) const;
  // Returns (d eta / dtheta) F for a decision, with baseline_.rank entries.
  std::vector<double> spread_of_predictor(std::span<const double> columns,
                                          std::span<const double> centered_z,
                                          const ExpertEffects& effects) const;
  std::span<const double> row_of(std::size_t parameter) const {
    return std::span(factor_.rows).subspan(parameter * factor_.rank, factor_.rank);
  }

  std::shared_ptr<const SoftMixture> mixture_;
  MixtureSize size_;
  Factor factor_;
  Factor baseline_;
  // num_draws() × (J + 1) standard normal draws, which all contexts share. The last column is used
  // for the baseline.
  std::vector<double> normals_;
};

}  // namespace otss::internal
