// A WeightMap is the part of a model that decisions are made with. It maps an encoded context x to
// the weight vector w(x). The best decision is the one whose factors z maximise w(x)'z.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "otss/base/options.hpp"

namespace otss {

class WeightMap;
class Mixture;

// Maps a context x and the factors z of a decision to the decision's score. Every WeightMap is a
// Scorer. Boosted trees are a Scorer, but they have no weights.
class Scorer {
 public:
  virtual ~Scorer() = default;
  virtual int num_contexts() const = 0;  // returns p, the number of encoded context columns
  virtual int num_factors() const = 0;   // returns J, the number of factors
  // Returns the score of a decision. z is in the log's units. A larger score is better.
  virtual double score(std::span<const double> x, std::span<const double> z) const = 0;

  // These two functions return this object as a WeightMap or as a Mixture. They return null if the
  // object is not of that type.
  virtual const WeightMap* as_weight_map() const { return nullptr; }
  virtual const Mixture* as_mixture() const { return nullptr; }
};

// Maps a context x to weights w(x); the score of a decision is w(x)'z.
class WeightMap : public Scorer {
 public:
  // Computes the J weights of one context, in the units of the log's own factor columns. The
  // function allocates no memory if there are at most 256 experts, except that a model with a
  // quadratic gate allocates once per thread.
  virtual void weights(std::span<const double> x, std::span<double> w) const = 0;

  // Computes the weights of `rows` contexts, row after row: x is rows × p, w is rows × J. The
  // result is bitwise identical to calling the function above for each row.
  virtual void weights(std::size_t rows, std::span<const double> x, std::span<double> w) const;

  double score(std::span<const double> x, std::span<const double> z) const override;
  const WeightMap* as_weight_map() const final { return this; }
};

// The kind of a gate says how a mixture computes the experts' shares in a context.
enum class GateKind {
  kLinear,     // the shares are the softmax of linear functions of the context
  kQuadratic,  // as kLinear, but the functions are linear in all monomials up to degree two
  kNetwork,    // the shares are the softmax of a network with one hidden layer
  kOneHot,     // the expert with the largest linear score has share 1, all others have 0
  kCenters,    // the expert whose centre is nearest has share 1, all others have 0
  // This is the gate of an average of several mixtures with linear gates. The average has the
  // experts of all these mixtures.
  kAverage
};

constexpr auto word_table(GateKind) {
  return std::to_array<WordOf<GateKind>>({{GateKind::kLinear, "linear"},
                                          {GateKind::kQuadratic, "quadratic"},
                                          {GateKind::kNetwork, "mlp"},
                                          {GateKind::kOneHot, "one-hot"},
                                          {GateKind::kCenters, "fixed"},
                                          {GateKind::kAverage, "average"}});
}

// In a mixture, w(x) = sum_k alpha_k(x) beta_k, where beta_k are the weights of expert k and
// alpha_k(x) is the share of expert k. The gate computes the shares, which are at least 0 and sum
// to 1.
class Mixture : public WeightMap {
 public:
  virtual int num_experts() const = 0;  // returns K, the number of experts
  virtual GateKind gate_kind() const = 0;

  // Returns the J weights beta_k of expert k (0 to K - 1), in the log's units.
  virtual std::span<const double> expert(int k) const = 0;

  // Computes the K shares of the experts in context x. The entries of x must be finite. The
  // function allocates no memory if there are at most 256 experts, except that a quadratic gate
  // allocates once per thread.
  virtual void shares(std::span<const double> x, std::span<double> alpha) const = 0;

  // Computes the shares of `rows` contexts: x is rows × p, alpha is rows × K. The result is bitwise
  // identical to calling the function above for each row.
  virtual void shares(std::size_t rows, std::span<const double> x,
                      std::span<double> alpha) const = 0;

  const Mixture* as_mixture() const final { return this; }
};

}  // namespace otss
