// Gates other than the linear one (weight_map.hpp). The comparison classes are the same mixture
// behind another gate: a one-hot gate is hard routing, fixed centres are cluster-then-fit.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "otss/model/network.hpp"
#include "otss/model/weight_map.hpp"

namespace otss {

// alpha = softmax(G phi(x) + g), phi all monomials up to degree two (quadratic.hpp).
class QuadraticGate final : public Gate {
 public:
  QuadraticGate(int num_contexts, LinearGate on_columns);
  const char* kind() const override { return "quadratic"; }
  int num_contexts() const override { return num_contexts_; }
  int num_experts() const override { return on_columns_.num_experts(); }
  void shares(std::span<const double> x, std::span<double> alpha) const override;
  using Gate::shares;
  const LinearGate& on_columns() const { return on_columns_; }

 private:
  int num_contexts_;
  LinearGate on_columns_;
};

// alpha = softmax(network(x)).
class NetworkGate final : public Gate {
 public:
  explicit NetworkGate(Network network) : network_(std::move(network)) {}
  const char* kind() const override { return "mlp"; }
  int num_contexts() const override { return network_.num_inputs; }
  int num_experts() const override { return network_.num_outputs; }
  void shares(std::span<const double> x, std::span<double> alpha) const override;
  using Gate::shares;
  const Network& network() const { return network_; }

 private:
  Network network_;
};

// All to the expert with the largest linear score; the first of equals.
class OneHotGate final : public Gate {
 public:
  explicit OneHotGate(LinearGate scores) : scores_(std::move(scores)) {}
  const char* kind() const override { return "one-hot"; }
  int num_contexts() const override { return scores_.num_contexts(); }
  int num_experts() const override { return scores_.num_experts(); }
  void shares(std::span<const double> x, std::span<double> alpha) const override;
  using Gate::shares;
  const LinearGate& scores() const { return scores_; }

 private:
  LinearGate scores_;
};

// All to the expert with the nearest centre; the first of equals. Fixed before experts are fitted.
class CenterGate final : public Gate {
 public:
  CenterGate(int num_contexts, std::vector<double> centers /* K×p, row per expert */,
             int num_experts);
  const char* kind() const override { return "fixed"; }
  int num_contexts() const override { return num_contexts_; }
  int num_experts() const override { return num_experts_; }
  void shares(std::span<const double> x, std::span<double> alpha) const override;
  using Gate::shares;
  std::span<const double> centers() const { return centers_; }

 private:
  int num_contexts_;
  int num_experts_;
  std::vector<double> centers_;
};

// Several gates side by side, each with its weight: an average of mixtures is the mixture of all
// their experts behind this gate.
class AverageGate final : public Gate {
 public:
  struct Member {
    double weight;  // in total 1
    LinearGate gate;
  };
  explicit AverageGate(std::vector<Member> members);
  const char* kind() const override { return "average"; }
  int num_contexts() const override { return members_.front().gate.num_contexts(); }
  int num_experts() const override { return num_experts_; }
  void shares(std::span<const double> x, std::span<double> alpha) const override;
  using Gate::shares;
  const std::vector<Member>& members() const { return members_; }

 private:
  std::vector<Member> members_;
  int num_experts_ = 0;
};

}  // namespace otss
