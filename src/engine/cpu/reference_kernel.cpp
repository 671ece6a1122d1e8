#include "engine/cpu/reference_kernel.hpp"

#include <Eigen/Core>
#include <cmath>
#include <span>
#include <type_traits>

#include "model/family_formulas.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal {
namespace {

constexpr auto kRows = static_cast<Eigen::Index>(kTileRows);

// Runs the forward and the backward pass for one tile. The K-1 gate scores and the baseline are K
// linear functions of [x, 1]. The scores of the experts are K linear functions of [z, 1]. In the
// matrices below, a column is one of these functions and a row is a row of the log.
template <class Real>
class TilePass {
 public:
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Columns = Eigen::Array<Real, kRows, Eigen::Dynamic>;
  using Column = Eigen::Array<Real, kRows, 1>;

  TilePass(const MixtureLayout& layout, const double* theta)
      : last_(layout.num_experts - 1),
        context_functions_(functions(theta, layout.num_contexts + 1, layout.num_experts)),
        experts_(functions(theta + layout.expert(0), layout.num_factors + 1, layout.num_experts)),
        contexts_(kRows, layout.num_contexts),
        factors_(kRows, layout.num_factors),
        by_context_(kRows, layout.num_experts),
        by_expert_(kRows, layout.num_experts),
        scores_(kRows, layout.num_experts),
        shares_(kRows, layout.num_experts) {}

  // Returns eta of the tile's rows. `offsets` has one offset per row, or is null.
  const Column& forward(const float* tile, const float* offsets) {
    using Tile = Eigen::Map<const Eigen::MatrixXf>;
    contexts_ = Tile(tile, kRows, contexts_.cols()).template cast<Real>();
    factors_ = Tile(tile + contexts_.size(), kRows, factors_.cols()).template cast<Real>();
    apply(context_functions_, contexts_, shares_);
    apply(experts_, factors_, scores_);
    // The column of the last expert holds the baseline and not a gate score, because the gate score
    // of that expert is always 0.
    eta_ = shares_.col(last_);
    shares_.col(last_) = 0;
    const Column largest = shares_.rowwise().maxCoeff();
    shares_ = (shares_.colwise() - largest).exp();
    const Column total = shares_.rowwise().sum();
    shares_.colwise() /= total;
    mean_score_ = (shares_ * scores_).rowwise().sum();
    eta_ += mean_score_;
    if (offsets != nullptr)
      eta_ += Eigen::Map<const Eigen::Array<float, kRows, 1>>(offsets).template cast<Real>();
    return eta_;
  }

  // Adds the gradient of the tile that was last passed to forward(). `by_eta` has d loss / d eta of
  // each row.
  void backward(const Column& by_eta, double* gradient) {
    by_expert_ = shares_.colwise() * by_eta;
    by_context_ = by_expert_ * (scores_.colwise() - mean_score_);
    by_context_.col(last_) = by_eta;
    add(contexts_, by_context_, gradient);
    add(factors_, by_expert_, gradient + context_functions_.size());
  }

 private:
  static Matrix functions(const double* theta, Eigen::Index size, Eigen::Index count) {
    return Eigen::Map<const Eigen::MatrixXd>(theta, size, count).template cast<Real>();
  }

  // Multiplies column by column, because Eigen's matrix product first packs its arguments; for a
  // few columns of 128 rows, packing takes more time than it saves.
  static void apply(const Matrix& functions, const Matrix& columns, Columns& values) {
    for (Eigen::Index k = 0; k < values.cols(); ++k) {
      values.col(k) = functions(columns.cols(), k);
      values.col(k).matrix().noalias() += columns * functions.col(k).head(columns.cols());
    }
  }

  static void add(const Matrix& columns, const Columns& by_value, double* gradient) {
    Eigen::Map<Eigen::MatrixXd> sums(gradient, columns.cols() + 1, by_value.cols());
    for (Eigen::Index k = 0; k < by_value.cols(); ++k)
      sums.col(k).head(columns.cols()) +=
          (columns.transpose() * by_value.col(k).matrix()).eval().template cast<double>();
    sums.row(columns.cols()) += by_value.colwise().sum().matrix().template cast<double>();
  }

  Eigen::Index last_;
  Matrix context_functions_, experts_;
  Matrix contexts_, factors_;
  Columns by_context_, by_expert_, scores_, shares_;
  Column eta_, mean_score_;
};

// Returns the loss of one tile and sets by_eta = d loss / d eta. Rows of weight 0 contribute 0.
template <class Real, class Formulas, class Column>
double tile_loss(const float* signed_weights, const float* outcomes, const Column& eta,
                 Column& by_eta) {
  double loss = 0;
  for (Eigen::Index i = 0; i < kRows; ++i) {
    const Real weight = std::abs(signed_weights[i]);
    by_eta[i] = 0;
    if (weight == 0) continue;
    const bool in_sign = std::is_same_v<Formulas, BernoulliFormulas>;
    const Real outcome = in_sign ? (signed_weights[i] > 0 ? 1 : 0) : outcomes[i];
    const LossSlope<Real> row = Formulas::at(eta[i], outcome);
    loss += weight * row.loss;
    by_eta[i] = weight * row.slope;
  }
  return loss;
}

template <class Real, class Formulas>
double loss_gradient(const MixtureChunk& chunk, const double* theta, double* gradient, void*) {
  const MixtureLayout layout{chunk.num_contexts, chunk.num_factors, chunk.num_experts};
  const std::size_t tile_size =
      static_cast<std::size_t>(chunk.num_contexts + chunk.num_factors) * kTileRows;
  TilePass<Real> pass(layout, theta);
  typename TilePass<Real>::Column by_eta;
  double loss = 0;
  std::fill_n(gradient, layout.size(), 0.0);
  for (const std::size_t tile : std::span(chunk.tiles, chunk.num_tiles)) {
    const auto of_tile = [&](const float* first) {
      return first == nullptr ? nullptr : first + tile * kTileRows;
    };
    const auto& eta = pass.forward(chunk.features + tile * tile_size, of_tile(chunk.offsets));
    const float* outcomes = of_tile(chunk.outcomes);
    loss +=
        tile_loss<Real, Formulas>(chunk.signed_weights + tile * kTileRows, outcomes, eta, by_eta);
    pass.backward(by_eta, gradient);
  }
  return loss;
}

}  // namespace

MixtureKernel reference_kernel(Precision precision, OutputFamily family) {
  return with_formulas(family, [&](auto formulas) -> MixtureKernel {
    using Formulas = decltype(formulas);
    return precision == Precision::kSingle ? loss_gradient<float, Formulas>
                                           : loss_gradient<double, Formulas>;
  });
}

}  // namespace otss::internal
