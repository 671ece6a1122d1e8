#include "learn/problem/spectral_start.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "engine/linear_predictors.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kSpectralRows = 100'000;  // more rows would hardly change the directions
// This ridge is added to the diagonal of the contexts' covariance matrix, whose entries are about 1.
// Nearly collinear columns have a direction with almost no variance. Without the ridge, whitening
// would enlarge this direction without limit.
constexpr double kContextRidge = 0.01;
// Standard deviation of the gate scores at the start. It is small enough for a soft gate, but large
// enough to be far from the saddle point, where all gate scores are 0.
constexpr double kSpectralScale = 1.5;

struct Moments {
  Eigen::MatrixXd cross;     // sum of (y - E y) x z'
  Eigen::MatrixXd contexts;  // sum of v x x', where v is the variance of y
  Eigen::MatrixXd factors;   // sum of v z z'
  double variance = 0;       // sum of v
};

Moments moments(const Problem& problem, std::span<const double> pooled) {
  const int p = problem.num_contexts;
  const int num_factors = problem.num_factors();
  std::vector<double> eta(problem.num_rows());
  linear_predictors(*problem.features, problem.layout(1), pooled, 1, eta);
  Moments m{Eigen::MatrixXd::Zero(p, num_factors), Eigen::MatrixXd::Zero(p, p),
            Eigen::MatrixXd::Zero(num_factors, num_factors)};
  using Tile = Eigen::Map<const Eigen::MatrixXf>;
  for (std::size_t t = 0; t < problem.features->num_tiles(); ++t) {
    const Tile tile(problem.features->tile(t), kTileRows, p + num_factors);
    const Eigen::MatrixXd both = tile.cast<double>();
    Eigen::VectorXd residual = Eigen::VectorXd::Zero(kTileRows);
    Eigen::VectorXd variance = Eigen::VectorXd::Zero(kTileRows);
    for (std::size_t i = 0; i < kTileRows && t * kTileRows + i < problem.num_rows(); ++i) {
      const std::size_t row = t * kTileRows + i;
      residual[i] = -problem.weight(row) * problem.family().slope(eta[row], problem.outcome(row));
      variance[i] = problem.weight(row) * problem.family().curvature(eta[row]);
    }
    const auto x = both.leftCols(p);
    const auto z = both.rightCols(num_factors);
    m.cross.noalias() += x.transpose() * (residual.asDiagonal() * z);
    m.contexts.noalias() += x.transpose() * (variance.asDiagonal() * x);
    m.factors.noalias() += z.transpose() * (variance.asDiagonal() * z);
    m.variance += variance.sum();
  }
  return m;
}

// Returns K unit vectors in K-1 dimensions with equal angles between them: the vertices of a
// simplex.
std::vector<std::vector<double>> simplex(int num_experts) {
  const int dims = num_experts - 1;
  std::vector<std::vector<double>> vertices(num_experts, std::vector<double>(dims, 0.0));
  for (int d = 0; d < dims; ++d) {
    double used = 0;
    for (int i = 0; i < d; ++i) used += vertices[d][i] * vertices[d][i];
    vertices[d][d] = std::sqrt(1 - used);
    for (int k = d + 1; k < num_experts; ++k) {
      double product = 0;
      for (int i = 0; i < d; ++i) product += vertices[d][i] * vertices[k][i];
      vertices[k][d] = (-1.0 / dims - product) / vertices[d][d];
    }
  }
  return vertices;
}

// Returns the vertices after a random rotation (by the QR decomposition of a matrix of normals).
std::vector<std::vector<double>> rotated(std::vector<std::vector<double>> vertices, Rng& rng) {
  const auto dims = static_cast<Eigen::Index>(vertices.front().size());
  Eigen::MatrixXd normal(dims, dims);
  for (Eigen::Index i = 0; i < normal.size(); ++i) normal.data()[i] = rng.normal();
  const Eigen::MatrixXd rotation = Eigen::HouseholderQR<Eigen::MatrixXd>(normal).householderQ();
  for (auto& vertex : vertices) {
    Eigen::Map<Eigen::VectorXd> v(vertex.data(), dims);
    v = (rotation * v).eval();
  }
  return vertices;
}

}  // namespace

SpectralStart::SpectralStart(const Problem& whole, std::span<const double> pooled)
    : pooled_layout_(whole.layout(1)), pooled_(pooled.begin(), pooled.end()) {
  const Problem problem =
      whole.num_rows() > kSpectralRows ? subsample(whole, kSpectralRows) : whole;
  const int p = problem.num_contexts;
  if (p == 0) return;
  Moments m = moments(problem, pooled);
  m.contexts /= m.variance;
  m.factors /= m.variance;
  m.contexts.diagonal().array() += kContextRidge;
  m.factors.diagonal().array() += 1e-6;
  const Eigen::LLT<Eigen::MatrixXd> x_root(m.contexts);
  const Eigen::LLT<Eigen::MatrixXd> z_root(m.factors);
  Eigen::MatrixXd white = x_root.matrixL().solve(m.cross) / m.variance;
  white = z_root.matrixL().solve(white.transpose()).transpose();
  // The singular pairs are computed from the small Gram matrix, the largest pair first. This method
  // is precise enough for a start.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> gram(white.transpose() * white);
  num_pairs_ = static_cast<int>(std::min(white.rows(), white.cols()));
  const Eigen::MatrixXd right = gram.eigenvectors().rowwise().reverse().leftCols(num_pairs_);
  const Eigen::VectorXd values =
      gram.eigenvalues().reverse().head(num_pairs_).cwiseMax(1e-24).cwiseSqrt();
  const Eigen::MatrixXd u =
      x_root.matrixU().solve(white * right * values.cwiseInverse().asDiagonal());
  const Eigen::MatrixXd v = z_root.matrixU().solve(right * values.asDiagonal());
  gate_directions_.assign(u.data(), u.data() + u.size());
  expert_directions_.assign(v.data(), v.data() + v.size());
}

std::vector<double> SpectralStart::assemble(
    int num_experts, const std::vector<std::vector<double>>& vertices) const {
  const int p = pooled_layout_.num_contexts;
  const int num_factors = pooled_layout_.num_factors;
  const MixtureLayout layout{p, num_factors, num_experts};
  std::vector<double> theta(layout.size(), 0.0);
  std::copy_n(pooled_.begin() + pooled_layout_.baseline(), p + 1,
              theta.begin() + layout.baseline());
  const double expert_scale =
      (num_experts - 1) / kSpectralScale;  // compensates for the softmax's slope at 0
  for (int k = 0; k < num_experts; ++k) {
    const auto pooled_expert = pooled_.begin() + pooled_layout_.expert(0);
    std::copy_n(pooled_expert, num_factors + 1, theta.begin() + layout.expert(k));
    for (int m = 0; m < std::min(num_pairs_, num_experts - 1); ++m) {
      for (int j = 0; j < num_factors; ++j) {
        theta[layout.expert(k) + j] +=
            expert_scale * vertices[k][m] * expert_directions_[m * num_factors + j];
      }
      if (k == num_experts - 1) continue;
      const double difference = vertices[k][m] - vertices[num_experts - 1][m];
      for (int j = 0; j < p; ++j) {
        theta[layout.gate(k) + j] += kSpectralScale * difference * gate_directions_[m * p + j];
      }
    }
  }
  return theta;
}

std::vector<double> SpectralStart::start(int num_experts) const {
  if (num_pairs_ >= num_experts - 1) return assemble(num_experts, simplex(num_experts));
  // With fewer pairs than the simplex has dimensions, several of its vertices have the same
  // coordinates in the first dimensions. Experts that start equal stay equal. After a rotation, no
  // two vertices have the same coordinates.
  Rng rng(static_cast<std::uint64_t>(num_experts));
  return assemble(num_experts, rotated(simplex(num_experts), rng));
}

std::vector<double> SpectralStart::restart(int num_experts, Rng& rng) const {
  std::vector<double> theta = assemble(num_experts, rotated(simplex(num_experts), rng));
  const MixtureLayout layout{pooled_layout_.num_contexts, pooled_layout_.num_factors, num_experts};
  const double gate_noise = 1 / std::sqrt(1.0 + layout.num_contexts);
  for (std::size_t i = 0; i < layout.baseline(); ++i) theta[i] += gate_noise * rng.normal();
  for (std::size_t i = layout.expert(0); i < layout.size(); ++i) theta[i] += 0.3 * rng.normal();
  return theta;
}

}  // namespace otss::internal
