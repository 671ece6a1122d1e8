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

  Trajectory follow(std::span<const double> theta, const VectorXd& velocity, double step,
                    int num_steps) override {
    const auto size = static_cast<Eigen::Index>(theta.size());
    Trajectory at{Eigen::Map<const VectorXd>(theta.data(), size), velocity};
    VectorXd gradient(size);
    const auto evaluate = [&] {
      return objective_.evaluate({at.theta.data(), theta.size()}, {gradient.data(), theta.size()});
    };
    at.first_value = at.last_value = evaluate();
    at.velocity -= 0.5 * step * whiten(gradient);
    for (int s = 0; s < num_steps; ++s) {
      at.theta += step * unwhiten(at.velocity);
      at.last_value = evaluate();
      if (!std::isfinite(at.last_value)) break;
      const bool last = s + 1 == num_steps;
      at.velocity -= (last ? 0.5 : 1.0) * step * whiten(gradient);
    }
    return at;
  }

 private:
  VectorXd whiten(const VectorXd& v) const { return whitener_.triangularView<Eigen::Lower>() * v; }
  VectorXd unwhiten(const VectorXd& v) const {
    return whitener_.transpose().triangularView<Eigen::Upper>() * v;
  }

  Objective& objective_;
  Eigen::MatrixXd whitener_;
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
