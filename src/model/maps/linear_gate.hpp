// The linear gate is the default gate: alpha = softmax(G x + g), with slopes G and intercepts g.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "otss/model/weight_map.hpp"

namespace otss::internal {

struct PackedGate;  // declared in model/maps/isa/weights_kernel.hpp

class LinearGate {
 public:
  static constexpr GateKind kKind = GateKind::kLinear;

  LinearGate(int num_contexts, std::vector<double> slopes /* K×p, row per expert */,
             std::vector<double> intercepts /* K */);
  int num_contexts() const { return num_contexts_; }
  int num_experts() const { return static_cast<int>(intercepts_.size()); }
  void shares(std::span<const double> x, std::span<double> alpha) const { shares(1, x, alpha); }
  void shares(std::size_t rows, std::span<const double> x, std::span<double> alpha) const;

  // Returns the slopes and the intercepts in the layout of the vector kernel.
  const PackedGate& packed() const;
  std::span<const double> slopes() const { return slopes_; }
  std::span<const double> intercepts() const { return intercepts_; }

 private:
  int num_contexts_;
  std::vector<double> slopes_;
  std::vector<double> intercepts_;
  struct Packed;
  // Copies of the gate share this memory, so that copying is cheap.
  std::shared_ptr<const Packed> packed_;
};

}  // namespace otss::internal
