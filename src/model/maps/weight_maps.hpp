// This header has the weight maps without experts, which some comparison methods use.
#pragma once

#include <span>
#include <vector>

#include "model/maps/network.hpp"
#include "otss/model/weight_map.hpp"

namespace otss::internal {

// The weights are linear in the context: w(x) = A x + c, with slopes A and intercepts c. In a
// low-rank model, the matrix A has low rank.
class LinearWeights final : public WeightMap {
 public:
  LinearWeights(int num_contexts, std::vector<double> slopes /* J×p, row per factor */,
                std::vector<double> intercepts /* J */);
  int num_contexts() const override { return num_contexts_; }
  int num_factors() const override { return static_cast<int>(intercepts_.size()); }
  void weights(std::span<const double> x, std::span<double> w) const override;
  using WeightMap::weights;

  std::span<const double> slopes() const { return slopes_; }
  std::span<const double> intercepts() const { return intercepts_; }

 private:
  int num_contexts_;
  std::vector<double> slopes_, intercepts_;
};

// A network computes the weights: w(x) = network(x).
class NetworkWeights final : public WeightMap {
 public:
  explicit NetworkWeights(Network network) : network_(std::move(network)) {}
  int num_contexts() const override { return network_.num_inputs; }
  int num_factors() const override { return network_.num_outputs; }
  void weights(std::span<const double> x, std::span<double> w) const override {
    network_.evaluate(x, w);
  }
  using WeightMap::weights;
  const Network& network() const { return network_; }

 private:
  Network network_;
};

}  // namespace otss::internal
