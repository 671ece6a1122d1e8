#include "learn/averaging/left_out.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "base/threads.hpp"
#include "engine/mixture_row.hpp"

namespace otss::internal {

std::vector<double> predictors_left_out(const Problem& problem, const Member& fit,
                                        int num_threads) {
  constexpr std::size_t kRowsPerTask = 256;
  Eigen::MatrixXd hessian = curvature(problem, fit.theta, fit.layout, num_threads);
  fit.penalty.value().add_curvature(fit.layout, hessian);
  // The penalty leaves a direction free in which eta does not change.
  hessian.diagonal().array() += 1e-9 * hessian.trace() / static_cast<double>(fit.layout.size());
  const Eigen::LLT<Eigen::MatrixXd> factor(hessian);
  std::vector<double> result(problem.num_rows());
  const std::size_t num_tasks = (result.size() + kRowsPerTask - 1) / kRowsPerTask;
  parallel_for(num_tasks, num_threads, [&](std::size_t task) {
    const std::size_t begin = task * kRowsPerTask;
    const std::size_t count = std::min(result.size() - begin, kRowsPerTask);
    MixtureRow row(fit.layout, fit.theta);
    Eigen::MatrixXd derivatives(fit.layout.size(), count);
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t i = begin + r;
      row.evaluate(problem.features->tile(i / kTileRows) + i % kTileRows);
      row.derivative(1, {derivatives.col(static_cast<Eigen::Index>(r)).data(), fit.layout.size()});
      result[i] = row.eta();
    }
    factor.matrixL().solveInPlace(derivatives);
    for (std::size_t r = 0; r < count; ++r) {
      double& eta = result[begin + r];
      const double weight = problem.weight(begin + r);
      const double slope = weight * problem.family().slope(eta, problem.outcome(begin + r));
      const double leverage = derivatives.col(static_cast<Eigen::Index>(r)).squaredNorm();
      eta += leverage * slope / (1 - leverage * weight * problem.family().curvature(eta));
    }
  });
  return result;
}

std::vector<double> average_left_out(const Problem& problem, std::span<const Member> fits,
                                     int num_threads) {
  std::vector<std::vector<double>> of_fits(fits.size());
  parallel_for(fits.size(), num_threads, [&](std::size_t f) {
    of_fits[f] = predictors_left_out(problem, fits[f], num_threads);
  });
  std::vector<double> average(problem.num_rows(), 0.0);
  for (std::size_t f = 0; f < fits.size(); ++f) {
    for (std::size_t i = 0; i < average.size(); ++i) average[i] += fits[f].weight * of_fits[f][i];
  }
  return average;
}

}  // namespace otss::internal
