// A gate maps a finite context x to shares alpha, which are at least 0 and sum to 1. Two comparison
// methods are soft mixtures with a special gate: the method hard has a one-hot gate, and the method
// cluster has a gate with fixed centres.
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "model/maps/linear_gate.hpp"
#include "model/maps/network.hpp"
#include "otss/model/weight_map.hpp"

namespace otss::internal {

// A gate with alpha = softmax(G phi(x) + g), where G are slopes, g are intercepts, and phi(x) are
// all monomials of x up to degree two (quadratic.hpp).
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

// A gate with alpha = softmax(network(x)).
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

// Each expert has a linear function of the context. The expert whose function has the largest value
// has share 1. If several functions have the largest value, the first of their experts has share 1.
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

// The expert with the nearest centre has share 1. If several centres are equally near, the first of
// their experts has share 1. The centres are fixed before the experts are fitted.
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

// A gate of a member of an average. Members with a quadratic gate are not averaged.
using MemberGate = std::variant<LinearGate, NetworkGate, OneHotGate, CenterGate>;

// The gate of an average of several mixtures. These mixtures are called members. The average is
// itself a mixture and has the experts of all members. The share of an expert is the expert's share
// in its own member, times the weight of this member.
class AverageGate {
 public:
  static constexpr GateKind kKind = GateKind::kAverage;

  struct Member {
    double weight;  // the weight of this member; the weights of all members sum to 1
    MemberGate gate;
  };
  explicit AverageGate(std::vector<Member> members);
  int num_contexts() const;
  int num_experts() const { return num_experts_; }
  void shares(std::span<const double> x, std::span<double> alpha) const;
  const std::vector<Member>& members() const { return members_; }
  // Returns true if all members have linear gates.
  bool is_linear() const;

 private:
  std::vector<Member> members_;
  int num_experts_ = 0;
};

// A gate of any kind.
using Gate =
    std::variant<LinearGate, QuadraticGate, NetworkGate, OneHotGate, CenterGate, AverageGate>;

GateKind kind_of(const Gate& gate);
int num_contexts(const Gate& gate);
int num_experts(const Gate& gate);

// Computes the shares of `rows` contexts: x is rows × p, alpha is rows × K. The shares of a row are
// bitwise the same whatever the other rows are.
void shares(const Gate& gate, std::size_t rows, std::span<const double> x, std::span<double> alpha);

}  // namespace otss::internal
