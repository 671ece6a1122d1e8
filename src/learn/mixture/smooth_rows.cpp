#include "learn/mixture/smooth_rows.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "base/interrupt.hpp"
#include "base/profile.hpp"
#include "base/threads.hpp"
#include "engine/outer_products.hpp"
#include "engine/row_parts.hpp"

namespace otss::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// If less than this share of the cells differs from the usual value of the column, summing entry by
// entry is faster than multiplying whole matrices.
constexpr double kSparseShare = 0.25;

// The usual value of a column is looked for in about this many rows. If another value is found
// instead, the sums take longer, but they are the same.
constexpr std::size_t kRowsToLookAt = 10'000;

// Looks at every step-th row, and returns the value that more than half of these rows have in a
// column (Boyer and Moore's vote). If there is no such value, returns some value of the column.
float majority(const Problem& problem, int column, std::size_t step) {
  float candidate = 0;
  std::size_t votes = 0;
  for (std::size_t i = 0; i < problem.num_rows(); i += step) {
    const float value = problem.features->at(i, column);
    if (votes == 0) candidate = value;
    if (value == candidate) {
      ++votes;
    } else {
      --votes;
    }
  }
  return candidate;
}

// Sums the Hessian, weight · v v', over rows, entry by entry. The vector v has the row's products of
// contexts and factors. Contexts are given relative to their usual values, as
// [x - usual, 1], so that most entries are zero and can be skipped.
class SparseHessian {
 public:
  SparseHessian(Index size, const VectorXd& usual)
      : sum_(MatrixXd::Zero(size, size)), usual_(usual) {}

  void add(double weight, const SmoothRow& row) {
    active_.clear();
    for (Index i = 0; i < usual_.size(); ++i) {
      const double value = row.context()[i] - usual_[i];
      if (value != 0) active_.push_back({i, value});
    }
    const VectorXd& z = row.factors();
    for (Index j = 0; j < z.size(); ++j) {
      for (Index k = 0; k <= j; ++k) {
        const double scale = weight * z[j] * z[k];
        for (const auto& [column, right] : active_) {
          double* to = &sum_(j * usual_.size(), k * usual_.size() + column);
          for (const auto& [at, left] : active_) to[at] += scale * right * left;
        }
      }
    }
  }

  // Converts the Hessian for contexts [x - usual, 1] to that for contexts [x, 1], and returns it.
  // The conversion is [x, 1] = (I + usual e') [x - usual, 1]. The vector e is 1 for the constant
  // and 0 elsewhere.
  MatrixXd sum() {
    const Index height = usual_.size();
    for (Index j = 0; j < sum_.rows(); j += height) {
      for (Index k = 0; k <= j; k += height) {
        auto block = sum_.block(j, k, height, height);
        block += (usual_ * block.row(height - 1)).eval();
        block += (block.col(height - 1) * usual_.transpose()).eval();
      }
    }
    return std::move(sum_);
  }

 private:
  MatrixXd sum_;  // only the blocks of the lower triangle are used
  const VectorXd& usual_;
  std::vector<std::pair<Index, double>> active_;
};

}  // namespace

void SmoothRow::read(std::size_t row) {
  const float* features = problem_.features->tile(row / kTileRows) + row % kTileRows;
  const int p = problem_.num_contexts;
  for (int j = 0; j < p; ++j) context_[j] = features[j * kTileRows];
  for (Index j = 0; j + 1 < factors_.size(); ++j) factors_[j] = features[(p + j) * kTileRows];
}

void SmoothRow::products(double scale, VectorXd& out) const {
  const Index height = context_.size();
  for (Index j = 0; j < factors_.size(); ++j)
    out.segment(j * height, height) = (scale * factors_[j]) * context_;
}

RowRange smooth_part(const Problem& problem, std::size_t part) {
  const std::size_t rows = problem.num_rows();
  return {part * rows / num_row_parts(rows), (part + 1) * rows / num_row_parts(rows)};
}

SmoothRows::SmoothRows(const Problem& problem)
    : problem_(problem), usual_(VectorXd::Zero(problem.num_contexts + 1)) {
  const std::size_t step = 1 + problem.num_rows() / kRowsToLookAt;
  double unusual = 0;
  double cells = 0;
  for (int j = 0; j < problem.num_contexts; ++j) {
    const float usual = majority(problem, j, step);
    usual_[j] = usual;
    for (std::size_t i = 0; i < problem.num_rows(); i += step, ++cells)
      unusual += problem.features->at(i, j) != usual ? 1 : 0;
  }
  is_sparse_ = unusual < kSparseShare * cells;
}

Quadratic SmoothRows::expand_part(const MatrixXd& coefficients, RowRange rows,
                                  bool with_hessian) const {
  const Index size = coefficients.size();
  Quadratic sum{0, VectorXd::Zero(size), {}};
  OuterProducts dense(with_hessian && !is_sparse_ ? size : 0);
  SparseHessian sparse(with_hessian && is_sparse_ ? size : 0, usual_);
  SmoothRow row(problem_);
  VectorXd products(size);
  const OutputFamily family = problem_.family();
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    const double weight = problem_.weight(i);
    if (weight == 0) continue;
    row.read(i);
    const double eta = row.eta(coefficients);
    sum.loss += weight * family.loss(eta, problem_.outcome(i));
    row.products(1, products);
    sum.gradient += weight * family.slope(eta, problem_.outcome(i)) * products;
    if (!with_hessian) continue;
    const double curvature = weight * family.curvature(eta);
    if (is_sparse_) {
      sparse.add(curvature, row);
    } else {
      const std::span<double> vector = dense.next();
      Eigen::Map<VectorXd>(vector.data(), size) = std::sqrt(curvature) * products;
    }
  }
  if (with_hessian) sum.hessian = is_sparse_ ? sparse.sum() : dense.sum();
  return sum;
}

Quadratic SmoothRows::expand(const MatrixXd& coefficients, bool with_hessian,
                             int num_threads) const {
  count_rows(problem_.num_rows());
  std::vector<Quadratic> parts(num_row_parts(problem_.num_rows()));
  parallel_for(parts.size(), num_threads, [&](std::size_t part) {
    check_interrupt();
    parts[part] = expand_part(coefficients, smooth_part(problem_, part), with_hessian);
  });
  for (std::size_t part = 1; part < parts.size(); ++part) {
    parts[0].loss += parts[part].loss;
    parts[0].gradient += parts[part].gradient;
    if (with_hessian) parts[0].hessian += parts[part].hessian;
  }
  if (with_hessian && is_sparse_) {
    const MatrixXd full = parts[0].hessian.selfadjointView<Eigen::Lower>();
    parts[0].hessian = full;
  }
  return std::move(parts[0]);
}

}  // namespace otss::internal
