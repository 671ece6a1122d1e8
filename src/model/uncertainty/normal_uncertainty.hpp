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

// The parameters have a normal distribution. Its mean is the model's parameters, and its covariance
// is F F'. The delta method gives the distribution of w(x): it approximates w(x) by a linear
// function of the parameters.
class NormalUncertainty final : public Uncertainty {
 public:
  static constexpr int kMostRank = 200;
  static constexpr std::size_t kMostParameters = 3000;
  static constexpr int kMostFactors = 500;

  // `factor` is F: one row of `rank` entries per parameter of the mixture, in the order of
  // MixtureSize. The gate must be linear or quadratic.
  NormalUncertainty(std::shared_ptr<const SoftMixture> mixture, std::vector<double> factor,
                    int rank);

  int num_contexts() const override { return mixture_->num_contexts(); }
  int num_factors() const override { return size_.num_factors; }
  int num_draws() const override;
  void departures(std::span<const double> x, std::span<double> out) const override;

  // Computes the covariance of w(x), J × J, row after row.
  void covariance(std::span<const double> x, std::span<double> out) const;

  std::span<const double> factor() const { return factor_; }
  int rank() const { return rank_; }

 protected:
  void interval_of_each(std::span<const double> departures, double level, std::span<double> lo,
                        std::span<double> hi) const override;

 private:
  std::shared_ptr<const SoftMixture> mixture_;
  MixtureSize size_;
  std::vector<double> factor_;
  int rank_;
  std::vector<double> normals_;  // num_draws() × J standard normal draws, which all contexts share
};

}  // namespace otss::internal
