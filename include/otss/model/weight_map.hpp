// The deployed thing: a map from an encoded context x to the weight vector w(x) a solver maximises
// w'z with.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace otss {

struct PackedGate;  // model/isa/weights_kernel.hpp

// (x, z) -> score. Every WeightMap is one; boosted trees (learn/) are a Scorer only.
class Scorer {
 public:
  virtual ~Scorer() = default;
  virtual int num_contexts() const = 0;  // p: encoded context columns
  virtual int num_factors() const = 0;   // J
  virtual double score(std::span<const double> x, std::span<const double> z) const = 0;
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
};

// x (finite) -> shares alpha on the simplex.
class Gate {
 public:
  virtual ~Gate() = default;
  virtual const char* kind() const = 0;  // as the model file names it
  virtual int num_contexts() const = 0;
  virtual int num_experts() const = 0;
  virtual void shares(std::span<const double> x, std::span<double> alpha) const = 0;

  // The same for `rows` contexts: x is rows×p, alpha is rows×K. Equal to shares() to the bit.
  virtual void shares(std::size_t rows, std::span<const double> x, std::span<double> alpha) const;
};

// alpha = softmax(G x + g).
class LinearGate final : public Gate {
 public:
  LinearGate(int num_contexts, std::vector<double> slopes /* K×p, row per expert */,
             std::vector<double> intercepts /* K */);
  const char* kind() const override { return "linear"; }
  int num_contexts() const override { return num_contexts_; }
  int num_experts() const override { return static_cast<int>(intercepts_.size()); }
  void shares(std::span<const double> x, std::span<double> alpha) const override;
  void shares(std::size_t rows, std::span<const double> x, std::span<double> alpha) const override;

  const PackedGate& packed() const;  // the same numbers as the vector kernel wants them
  std::span<const double> slopes() const { return slopes_; }
  std::span<const double> intercepts() const { return intercepts_; }

 private:
  int num_contexts_;
  std::vector<double> slopes_;
  std::vector<double> intercepts_;
  struct Packed;
  std::shared_ptr<const Packed> packed_;  // shared, so that copies stay cheap and read-only
};

// w(x) = sum_k alpha_k(x) beta_k. With one expert it is the pooled model, whatever the gate.
class SoftMixture final : public WeightMap {
 public:
  SoftMixture(std::shared_ptr<const Gate> gate, int num_factors,
              std::vector<double> experts /* K×J, row per expert, in the log's units */);
  ~SoftMixture() override;

  int num_contexts() const override;
  int num_factors() const override { return num_factors_; }
  int num_experts() const;
  const Gate& gate() const { return *gate_; }
  std::shared_ptr<const Gate> shared_gate() const { return gate_; }
  std::span<const double> expert(int k) const;
  std::span<const double> experts() const { return experts_; }

  void weights(std::span<const double> x, std::span<double> w) const override;
  void weights(std::size_t rows, std::span<const double> x, std::span<double> w) const override;

 private:
  std::shared_ptr<const Gate> gate_;
  int num_factors_;
  std::vector<double> experts_;
  struct Packed;  // the experts laid out for the vector kernel, and the gate where that is linear
  std::unique_ptr<const Packed> packed_;
};

}  // namespace otss
