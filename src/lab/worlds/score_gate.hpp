// Defines a true gate whose scores are s_k(x) = u_k'x + bend * g_k(x), where g_k is a smooth random
// function. The shares are either softmax(s / T) with the temperature T, or 1 for the expert with
// the largest score and 0 for the others.
#pragma once

#include <span>
#include <vector>

#include "base/random.hpp"

namespace otss::internal {

class ScoreGate {
 public:
  // `slopes` has one row of p slopes per expert; row k is u_k. num_contexts is p.
  ScoreGate(int num_contexts, std::vector<double> slopes);

  // Adds bend * g_k(x) to each score, where
  //   g_k(x) = sqrt(2/F) sum_f V_fk cos(omega_f'x + phi_f),   F = 64.
  // V_fk and omega_f are random normal and phi_f is random uniform. Thus g_k is nearly a draw from
  // a Gaussian process with unit variance and length scale sqrt(p)/2 (random Fourier features,
  // Rahimi & Recht 2007).
  void bend(double bend, Rng& rng);

  // Sets the temperature so that the mean of the largest share, over contexts x ~ N(0, I), is
  // `top`. Throws Error(kUsage) unless 1/K < top < 1.
  void soften_to(double top, Rng& rng);

  int num_experts() const { return num_experts_; }
  // Sets alpha = softmax(s(x) / temperature).
  void shares(std::span<const double> x, std::span<double> alpha) const;
  // Sets alpha_k = 1 for the expert with the largest score, and 0 for the others.
  void largest_alone(std::span<const double> x, std::span<double> alpha) const;

 private:
  std::vector<double> scores(std::span<const double> x) const;

  int num_contexts_;
  int num_experts_;
  std::vector<double> slopes_;
  std::vector<double> frequencies_;  // F × p
  std::vector<double> phases_;       // F
  std::vector<double> amplitudes_;   // F × K matrix of the products bend sqrt(2/F) V_fk
  double temperature_ = 1;
};

}  // namespace otss::internal
