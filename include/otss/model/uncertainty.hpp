// How sure a model is of its weights: what w(x) might be besides what is deployed. `learn`
// estimates it, the model file holds it, and deciding and serving need no trainer to use it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "otss/model/weight_map.hpp"

namespace otss {

enum class Coverage : int {
  kEachFactor,  // each factor's interval covers at the level asked for
  kAllFactors   // all factors' intervals of a context cover together
};

// All in the units of the log's own columns. Safe to use from several threads.
class Uncertainty {
 public:
  virtual ~Uncertainty() = default;
  virtual const char* kind() const = 0;  // as the model file names it
  virtual int num_contexts() const = 0;
  virtual int num_factors() const = 0;
  virtual int num_draws() const = 0;

  // Draws of w(x) less the deployed weights, num_draws()×J, row per draw. Their mean is 0:
  // intervals lie about what is deployed. The same for every call.
  virtual void departures(std::span<const double> x, std::span<double> out) const = 0;

  // Bounds of w(x) less the deployed weights: lo <= 0 <= hi, level in (0, 1).
  void interval(std::span<const double> x, double level, Coverage coverage, std::span<double> lo,
                std::span<double> hi) const;

 protected:
  // Each factor by itself, from the context's departures.
  virtual void interval_of_each(std::span<const double> departures, double level,
                                std::span<double> lo, std::span<double> hi) const = 0;
};

// Parameters of a mixture behind a linear gate over the gate's columns (the encoded contexts, or
// their monomials): [ D_1 … D_{K-1} : columns + 1 each | beta_1 … beta_K : J each ], D_k the
// scores' slopes and intercept less the last expert's.
struct MixtureSize {
  int num_columns = 0;
  int num_factors = 0;
  int num_experts = 1;

  std::size_t gate(int k) const { return static_cast<std::size_t>(k) * (num_columns + 1); }
  std::size_t expert(int k) const {
    return gate(num_experts - 1) + static_cast<std::size_t>(k) * num_factors;
  }
  std::size_t size() const { return expert(num_experts); }
};

// Parameters about the deployed ones with a normal law of covariance F F', carried over to w(x) by
// its derivative (the delta method).
class NormalUncertainty final : public Uncertainty {
 public:
  static constexpr int kMostRank = 200;
  static constexpr std::size_t kMostParameters = 3000;
  static constexpr int kMostFactors = 500;

  // `factor` is F, a row of `rank` entries per parameter of the mixture, whose gate is linear or
  // quadratic.
  NormalUncertainty(std::shared_ptr<const SoftMixture> mixture, std::vector<double> factor,
                    int rank);

  const char* kind() const override { return "normal"; }
  int num_contexts() const override { return mixture_->num_contexts(); }
  int num_factors() const override { return size_.num_factors; }
  int num_draws() const override;
  void departures(std::span<const double> x, std::span<double> out) const override;

  // J×J, row after row.
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
  std::vector<double> normals_;  // num_draws()×J: what every context's draws are made of
};

// Draws of posteriors, each a mixture; their number of experts may differ. They are counted from
// the mean of their own posterior: that several posteriors disagree on the mean is no error of
// their average.
class DrawnUncertainty final : public Uncertainty {
 public:
  static constexpr std::size_t kMostDraws = 200;

  struct Draw {
    int num_experts = 1;
    std::size_t posterior = 0;       // draws of one stand together
    std::vector<double> parameters;  // as MixtureSize has them
  };

  // `quadratic`: the gates' columns are the monomials of the contexts. Departures are multiplied by
  // `spread`.
  DrawnUncertainty(int num_contexts, int num_factors, bool quadratic, std::vector<Draw> draws,
                   double spread = 1);

  const char* kind() const override { return "draws"; }
  int num_contexts() const override { return num_contexts_; }
  int num_factors() const override { return num_factors_; }
  int num_draws() const override { return static_cast<int>(draws_.size()); }
  void departures(std::span<const double> x, std::span<double> out) const override;

  const std::vector<Draw>& draws() const { return draws_; }
  bool quadratic() const { return quadratic_; }
  double spread() const { return spread_; }

 protected:
  void interval_of_each(std::span<const double> departures, double level, std::span<double> lo,
                        std::span<double> hi) const override;

 private:
  int num_contexts_;
  int num_factors_;
  bool quadratic_;
  std::vector<Draw> draws_;
  double spread_;
};

}  // namespace otss
