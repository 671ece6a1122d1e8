#include "learn/posterior/leapfrog.hpp"

#include <Eigen/Cholesky>
#include <cmath>

namespace otss::internal {
namespace {

using Eigen::VectorXd;

class EvaluatedLeapfrog final : public Leapfrog {
 public:
  EvaluatedLeapfrog(Objective& objective, const Eigen::MatrixXd& hessian)
      : objective_(objective), whitener_(whitener_of(hessian)) {}

  void begin(std::span<const double> theta, const VectorXd& velocity, double step,
             int num_steps) override {
    const auto size = static_cast<Eigen::Index>(theta.size());
    at_ = {Eigen::Map<const VectorXd>(theta.data(), size), velocity};
    VectorXd gradient(size);
    const auto evaluate = [&] {
      return objective_.evaluate({at_.theta.data(), theta.size()}, {gradient.data(), theta.size()});
    };
    at_.first_value = at_.last_value = evaluate();
    at_.velocity -= 0.5 * step * whiten(gradient);
    for (int s = 0; s < num_steps; ++s) {
      at_.theta += step * unwhiten(at_.velocity);
      at_.last_value = evaluate();
      if (!std::isfinite(at_.last_value)) break;
      const bool last = s + 1 == num_steps;
      at_.velocity -= (last ? 0.5 : 1.0) * step * whiten(gradient);
    }
  }

  Trajectory end() override { return std::move(at_); }

 private:
  VectorXd whiten(const VectorXd& v) const { return whitener_.triangularView<Eigen::Lower>() * v; }
  VectorXd unwhiten(const VectorXd& v) const {
    return whitener_.transpose().triangularView<Eigen::Upper>() * v;
  }

  Objective& objective_;
  Eigen::MatrixXd whitener_;
  Trajectory at_;
};

}  // namespace

Eigen::MatrixXd whitener_of(const Eigen::MatrixXd& hessian) {
  const Eigen::LLT<Eigen::MatrixXd> factor(hessian);
  Eigen::MatrixXd whitener = Eigen::MatrixXd::Identity(hessian.rows(), hessian.cols());
  factor.matrixL().solveInPlace(whitener);
  return whitener;
}

std::unique_ptr<Leapfrog> make_leapfrog(Objective& objective, const Eigen::MatrixXd& hessian) {
  return std::make_unique<EvaluatedLeapfrog>(objective, hessian);
}

}  // namespace otss::internal
