// This header computes the loss of a regression on products of contexts and factors, and the
// gradient and the Hessian of this loss.
#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "learn/problem/problem.hpp"

namespace otss::internal {

// One row of the log: [x, 1], [z, 1], and the products of their entries in the order of a
// column-major (p+1)×(J+1) matrix.
class SmoothRow {
 public:
  explicit SmoothRow(const Problem& problem)
      : problem_(problem),
        context_(Eigen::VectorXd::Ones(problem.num_contexts + 1)),
        factors_(Eigen::VectorXd::Ones(problem.num_factors() + 1)) {}

  void read(std::size_t row);
  const Eigen::VectorXd& context() const { return context_; }
  const Eigen::VectorXd& factors() const { return factors_; }
  double eta(const Eigen::MatrixXd& coefficients) const {
    return context_.dot(coefficients * factors_);
  }
  void products(double scale, Eigen::VectorXd& out) const;

 private:
  const Problem& problem_;
  Eigen::VectorXd context_, factors_;
};

// The summed loss at given coefficients, with its gradient and its Hessian.
struct Quadratic {
  double loss = 0;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;  // empty if it was not asked for
};

// The rows of one of the num_row_parts() parts.
struct RowRange {
  std::size_t begin, end;
};
RowRange smooth_part(const Problem& problem, std::size_t part);

// Computes the summed loss of the rows of a problem, and its derivatives.
class SmoothRows {
 public:
  explicit SmoothRows(const Problem& problem);

  // Computes the loss and its gradient, and the Hessian if asked for. The time for the Hessian
  // grows with the number of encoded context columns that differ from their usual value in a row. A
  // text column has at most two such columns, even if it has a hundred levels.
  Quadratic expand(const Eigen::MatrixXd& coefficients, bool with_hessian, int num_threads) const;

 private:
  Quadratic expand_part(const Eigen::MatrixXd& coefficients, RowRange rows,
                        bool with_hessian) const;

  const Problem& problem_;
  // The usual value of each context column: the value that most rows have, if there is one,
  // otherwise some value of the column. The last entry belongs to the constant 1 and is 0.
  Eigen::VectorXd usual_;
  bool is_sparse_ = false;  // true if most cells have the usual value of their column
};

}  // namespace otss::internal
