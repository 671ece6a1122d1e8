// A true gate made of scores s_k(x) = u_k'x + bend * g_k(x): their softmax at a temperature, or the
// largest alone.
#pragma once

#include <span>
#include <vector>

#include "base/random.hpp"

namespace otss {

class ScoreGate {
 public:
  // `slopes` is K × p: the u_k.
  ScoreGate(int num_contexts, std::vector<double> slopes);

  // Adds bend * g_k, g_k(x) = sqrt(2/F) sum_f V_fk cos(omega_f'x + phi_f): a draw from a Gaussian
  // process with unit variance, smooth over distances of sqrt(p)/2 (random Fourier features, Rahimi
  // & Recht 2007).
  void bend(double bend, Rng& rng);

  // Finds the temperature at which the mean largest share over contexts ~ N(0, I) is `top`.
  void soften_to(double top, Rng& rng);

  int num_experts() const { return num_experts_; }
  void shares(std::span<const double> x,
              std::span<double> alpha) const;  // softmax(s / temperature)
  void largest_alone(std::span<const double> x, std::span<double> alpha) const;  // one-hot

 private:
  std::vector<double> scores(std::span<const double> x) const;

  int num_contexts_;
  int num_experts_;
  std::vector<double> slopes_;
  std::vector<double> frequencies_;  // F × p
  std::vector<double> phases_;       // F
  std::vector<double> amplitudes_;   // F × K, with bend and sqrt(2/F) multiplied in
  double temperature_ = 1;
};

}  // namespace otss
