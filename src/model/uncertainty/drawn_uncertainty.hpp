// Draws of posteriors.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/uncertainty/mixture_size.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss {

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
