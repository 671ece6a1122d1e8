// The deployed thing: a map from an encoded context x to the weight vector w(x) a solver maximises
// w'z with.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "otss/base/options.hpp"

namespace otss {

class WeightMap;
class Mixture;

// (x, z) -> score. Every WeightMap is one; boosted trees are a Scorer only.
class Scorer {
 public:
  virtual ~Scorer() = default;
  virtual int num_contexts() const = 0;  // p: encoded context columns
  virtual int num_factors() const = 0;   // J
  virtual double score(std::span<const double> x, std::span<const double> z) const = 0;

  // This scorer, where it is one of these; else null.
  virtual const WeightMap* as_weight_map() const { return nullptr; }
  virtual const Mixture* as_mixture() const { return nullptr; }
};

class WeightMap : public Scorer {
 public:
  // Weights of one context, in the units of the log's own factor columns. Does not allocate (with
  // up to 256 experts).
  virtual void weights(std::span<const double> x, std::span<double> w) const = 0;

  // The same for `rows` contexts, row after row: x is rows×p, w is rows×J. Equal to weights() to
  // the bit.
  virtual void weights(std::size_t rows, std::span<const double> x, std::span<double> w) const;

  double score(std::span<const double> x, std::span<const double> z) const override;
  const WeightMap* as_weight_map() const final { return this; }
};

// How a mixture turns a context into shares of its experts.
enum class GateKind {
  kLinear,     // softmax of linear scores
  kQuadratic,  // softmax of linear scores of all monomials up to degree two
  kNetwork,    // softmax of a network with one hidden layer
  kOneHot,     // all to the expert with the largest linear score
  kCenters,    // all to the expert whose centre is nearest
  kAverage     // an average of mixtures: the experts of all of them, side by side
};

constexpr auto word_table(GateKind) {
  return std::to_array<WordOf<GateKind>>({{GateKind::kLinear, "linear"},
                                          {GateKind::kQuadratic, "quadratic"},
                                          {GateKind::kNetwork, "mlp"},
                                          {GateKind::kOneHot, "one-hot"},
                                          {GateKind::kCenters, "fixed"},
                                          {GateKind::kAverage, "average"}});
}

// w(x) = sum_k alpha_k(x) beta_k: experts beta_k, and a gate that gives each context its shares
// alpha(x) of them, which are at least 0 and sum to 1.
class Mixture : public WeightMap {
 public:
  virtual int num_experts() const = 0;
  virtual GateKind gate_kind() const = 0;
  virtual std::span<const double> expert(
      int k) const = 0;  // J weights in the log's units, k from 0

  // x finite, alpha has num_experts() entries. Does not allocate (with up to 256 experts; a
  // quadratic gate once per thread).
  virtual void shares(std::span<const double> x, std::span<double> alpha) const = 0;

  // The same for `rows` contexts: x is rows×p, alpha is rows×K. Equal to shares() to the bit.
  virtual void shares(std::size_t rows, std::span<const double> x,
                      std::span<double> alpha) const = 0;

  const Mixture* as_mixture() const final { return this; }
};

}  // namespace otss
