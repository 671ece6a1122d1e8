// Gates: x (finite) -> shares alpha on the simplex. The comparison classes are the same mixture
// behind another gate: a one-hot gate is hard routing, fixed centres are cluster-then-fit.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "model/maps/linear_gate.hpp"
#include "model/maps/network.hpp"
#include "otss/model/weight_map.hpp"

namespace otss {

// alpha = softmax(G phi(x) + g), phi all monomials up to degree two (quadratic.hpp).
class QuadraticGate {
 public:
  static constexpr GateKind kKind = GateKind::kQuadratic;

  QuadraticGate(int num_contexts, LinearGate on_columns);
  int num_contexts() const { return num_contexts_; }
  int num_experts() const { return on_columns_.num_experts(); }
  void shares(std::span<const double> x, std::span<double> alpha) const;
  const LinearGate& on_columns() const { return on_columns_; }

 private:
  int num_contexts_;
  LinearGate on_columns_;
};

// alpha = softmax(network(x)).
class NetworkGate {
 public:
  static constexpr GateKind kKind = GateKind::kNetwork;

  explicit NetworkGate(Network network) : network_(std::move(network)) {}
  int num_contexts() const { return network_.num_inputs; }
  int num_experts() const { return network_.num_outputs; }
  void shares(std::span<const double> x, std::span<double> alpha) const;
  const Network& network() const { return network_; }

 private:
  Network network_;
};

// All to the expert with the largest linear score; the first of equals.
class OneHotGate {
 public:
  static constexpr GateKind kKind = GateKind::kOneHot;

  explicit OneHotGate(LinearGate scores) : scores_(std::move(scores)) {}
  int num_contexts() const { return scores_.num_contexts(); }
  int num_experts() const { return scores_.num_experts(); }
  void shares(std::span<const double> x, std::span<double> alpha) const;
  const LinearGate& scores() const { return scores_; }

 private:
  LinearGate scores_;
};

// All to the expert with the nearest centre; the first of equals. Fixed before experts are fitted.
class CenterGate {
 public:
  static constexpr GateKind kKind = GateKind::kCenters;

  CenterGate(int num_contexts, std::vector<double> centers /* K×p, row per expert */,
             int num_experts);
  int num_contexts() const { return num_contexts_; }
  int num_experts() const { return num_experts_; }
  void shares(std::span<const double> x, std::span<double> alpha) const;
  std::span<const double> centers() const { return centers_; }

 private:
  int num_contexts_;
  int num_experts_;
  std::vector<double> centers_;
};

// Several gates side by side, each with its weight: an average of mixtures is the mixture of all
// their experts behind this gate.
class AverageGate {
 public:
  static constexpr GateKind kKind = GateKind::kAverage;

  struct Member {
    double weight;  // in total 1
    LinearGate gate;
  };
  explicit AverageGate(std::vector<Member> members);
  int num_contexts() const { return members_.front().gate.num_contexts(); }
  int num_experts() const { return num_experts_; }
  void shares(std::span<const double> x, std::span<double> alpha) const;
  const std::vector<Member>& members() const { return members_; }

 private:
  std::vector<Member> members_;
  int num_experts_ = 0;
};

// Every gate there is.
using Gate =
    std::variant<LinearGate, QuadraticGate, NetworkGate, OneHotGate, CenterGate, AverageGate>;

GateKind kind_of(const Gate& gate);
int num_contexts(const Gate& gate);
int num_experts(const Gate& gate);

// x is rows×p, alpha is rows×K. What a row gets does not depend on the others, to the bit.
void shares(const Gate& gate, std::size_t rows, std::span<const double> x, std::span<double> alpha);

}  // namespace otss
