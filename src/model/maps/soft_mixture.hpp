// A SoftMixture is a mixture of experts with a gate of any kind. With one expert it is the pooled
// model.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "model/maps/gates.hpp"
#include "otss/model/weight_map.hpp"

namespace otss::internal {

class SoftMixture final : public Mixture {
 public:
  SoftMixture(Gate gate, int num_factors,
              std::vector<double> experts /* K×J, row per expert, in the log's units */);
  ~SoftMixture() override;

  int num_contexts() const override { return internal::num_contexts(gate_); }
  int num_factors() const override { return num_factors_; }
  int num_experts() const override { return internal::num_experts(gate_); }
  GateKind gate_kind() const override { return kind_of(gate_); }
  const Gate& gate() const { return gate_; }
  std::span<const double> expert(int k) const override;
  std::span<const double> experts() const { return experts_; }

  void shares(std::span<const double> x, std::span<double> alpha) const override;
  void shares(std::size_t rows, std::span<const double> x, std::span<double> alpha) const override;
  void weights(std::span<const double> x, std::span<double> w) const override;
  void weights(std::size_t rows, std::span<const double> x, std::span<double> w) const override;

 private:
  Gate gate_;
  int num_factors_;
  std::vector<double> experts_;
  // The experts in the memory layout of the vector kernel. If the gate is linear, the gate is
  // packed in this layout too.
  struct Packed;
  std::unique_ptr<const Packed> packed_;
};

// Returns a new mixture with the gate of `mixture` and with other experts. `experts` has the
// weights of the experts of the new mixture, K × J.
std::shared_ptr<const SoftMixture> with_experts(const SoftMixture& mixture,
                                                std::vector<double> experts);

}  // namespace otss::internal
