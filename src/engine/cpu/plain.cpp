#include "engine/cpu/plain.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "engine/mixture_row.hpp"

namespace otss {
namespace {

template <class Real>
double plain_loss_gradient(const MixtureChunk& chunk, const double* theta, double* gradient,
                           void*) {
  const MixtureLayout layout{chunk.num_contexts, chunk.num_factors, chunk.num_experts};
  const std::size_t tile_size =
      static_cast<std::size_t>(chunk.num_contexts + chunk.num_factors) * kTileRows;
  MixtureRow<Real> row(layout, {theta, layout.size()});
  std::vector<double> row_gradient(layout.size());

  double loss = 0;
  std::fill_n(gradient, layout.size(), 0.0);
  for (const std::uint32_t tile : std::span(chunk.tiles, chunk.num_tiles)) {
    for (std::size_t i = 0; i < kTileRows; ++i) {
      const Real signed_weight = chunk.signed_weights[tile * kTileRows + i];
      if (signed_weight == 0) continue;
      row.evaluate(chunk.features + tile * tile_size + i);

      // -log P(y) = softplus(-margin); its derivative by eta is -sign * sigma(-margin).
      const Real margin = std::copysign(Real(1), signed_weight) * row.eta();
      const Real tail = std::exp(-std::abs(margin));
      loss += std::abs(signed_weight) * (std::max(-margin, Real(0)) + std::log1p(tail));
      const Real miss = (margin > 0 ? tail : Real(1)) / (1 + tail);
      row.derivative(-signed_weight * miss, row_gradient);
      for (std::size_t j = 0; j < layout.size(); ++j) gradient[j] += row_gradient[j];
    }
  }
  return loss;
}

}  // namespace

MixtureKernel plain_kernel(Precision precision) {
  return precision == Precision::kSingle ? plain_loss_gradient<float> : plain_loss_gradient<double>;
}

}  // namespace otss
