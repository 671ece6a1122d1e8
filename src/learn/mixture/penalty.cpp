#include "learn/mixture/penalty.hpp"

namespace otss::internal {
namespace {

// Every term of the penalty has the form
//
//   1/2 ( diagonal sum_k v_k^2 - shared (sum_k v_k)^2 )
//
// Here the v_k are corresponding parameters of the experts k, such as their weights for one factor.
// `shared` is above 0 if these parameters are shrunk towards a common centre: minimising over the
// centre gives the second sum.
struct Exchangeable {
  double diagonal;
  double shared;
};

// Calls apply(at, stride, count, form) for each term of the penalty that contains parameters of the
// experts. The parameters of the term are the entries at, at + stride, … of theta, `count` in all.
// The first expert begins at the entry `first`.
template <class Apply>
void for_each_expert_group(std::size_t first, int num_experts, int num_factors,
                           const Penalty& penalty, const Apply& apply) {
  const Exchangeable experts =
      num_experts == 1
          ? Exchangeable{penalty.center, 0}
          : Exchangeable{penalty.expert, penalty.expert * penalty.expert /
                                             (num_experts * penalty.expert + penalty.center)};
  for (int j = 0; j < num_factors; ++j) apply(first + j, num_factors + 1, num_experts, experts);
  apply(first + num_factors, num_factors + 1, num_experts, Exchangeable{penalty.expert, 0});
}

template <class Apply>
void for_each_group(const MixtureLayout& layout, const Penalty& penalty, const Apply& apply) {
  const int p = layout.num_contexts;
  const int k = layout.num_experts;
  const auto gate = [&](double strength) { return Exchangeable{strength, strength / k}; };
  for (int j = 0; j < p && k > 1; ++j) {
    apply(layout.gate(0) + j, p + 1, k - 1,
          gate(penalty.relevance.empty() ? penalty.gate : penalty.gate / penalty.relevance[j]));
  }
  if (k > 1) apply(layout.gate(0) + p, p + 1, k - 1, gate(penalty.gate_intercept));
  for (int j = 0; j < p; ++j) {
    apply(layout.baseline() + j, p + 1, 1, Exchangeable{penalty.baseline, 0});
  }
  for_each_expert_group(layout.expert(0), k, layout.num_factors, penalty, apply);
}

// Sums the penalty: the functions above call an object of this class once for each term. Each call
// adds the term to value(), and the term's gradient to `gradient`.
class AddGroup {
 public:
  AddGroup(std::span<const double> theta, std::span<double> gradient)
      : theta_(theta), gradient_(gradient) {}

  void operator()(std::size_t first, int stride, int count, Exchangeable form) {
    double sum = 0;
    double squares = 0;
    for (int k = 0; k < count; ++k) {
      const double v = theta_[first + k * stride];
      sum += v;
      squares += v * v;
    }
    value_ += 0.5 * (form.diagonal * squares - form.shared * sum * sum);
    for (int k = 0; k < count; ++k) {
      gradient_[first + k * stride] +=
          form.diagonal * theta_[first + k * stride] - form.shared * sum;
    }
  }

  double value() const { return value_; }

 private:
  std::span<const double> theta_;
  std::span<double> gradient_;
  double value_ = 0;
};

}  // namespace

double Penalty::add(const MixtureLayout& layout, std::span<const double> theta,
                    std::span<double> gradient) const {
  AddGroup add(theta, gradient);
  for_each_group(layout, *this, [&](auto... group) { add(group...); });
  return add.value();
}

double Penalty::add_experts(int num_experts, std::span<const double> experts,
                            std::span<double> gradient) const {
  AddGroup add(experts, gradient);
  const int num_factors = static_cast<int>(experts.size()) / num_experts - 1;
  for_each_expert_group(0, num_experts, num_factors, *this, [&](auto... group) { add(group...); });
  return add.value();
}

void Penalty::add_curvature(const MixtureLayout& layout, Eigen::MatrixXd& hessian) const {
  for_each_group(layout, *this, [&](std::size_t first, int stride, int count, Exchangeable form) {
    for (int k = 0; k < count; ++k) {
      for (int l = 0; l < count; ++l) {
        hessian(first + k * stride, first + l * stride) -= form.shared;
      }
      hessian(first + k * stride, first + k * stride) += form.diagonal;
    }
  });
}

}  // namespace otss::internal
