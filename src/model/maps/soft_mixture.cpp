#include "model/maps/soft_mixture.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/isa.hpp"
#include "model/maps/isa/weights_kernel.hpp"
#include "model/maps/kernel_scratch.hpp"
#include "model/maps/padded_rows.hpp"

namespace otss::internal {

struct SoftMixture::Packed {
  const WeightsKernel& kernel = weights_kernel(active_isa());
  const PackedGate* gate;  // null if the gate is not linear
  PaddedRows rows;
  PackedExperts experts;

  explicit Packed(const SoftMixture& mixture) : rows(mixture.num_experts(), mixture.num_factors_) {
    const auto* linear = std::get_if<LinearGate>(&mixture.gate_);
    gate = linear != nullptr ? &linear->packed() : nullptr;
    const std::size_t num_experts = mixture.num_experts();
    const std::size_t num_factors = mixture.num_factors_;
    for (std::size_t k = 0; k < num_experts; ++k) {
      for (std::size_t j = 0; j < num_factors; ++j) {
        rows.at(k, j) = mixture.experts_[k * num_factors + j];
      }
    }
    experts = {num_experts, num_factors, rows.data()};
  }
};

SoftMixture::SoftMixture(Gate gate, int num_factors, std::vector<double> experts)
    : gate_(std::move(gate)), num_factors_(num_factors), experts_(std::move(experts)) {
  assert(num_factors_ >= 1);
  assert(experts_.size() == static_cast<std::size_t>(num_experts()) * num_factors_);
  packed_ = std::make_unique<const Packed>(*this);
}

SoftMixture::~SoftMixture() = default;

std::span<const double> SoftMixture::expert(int k) const {
  return std::span(experts_).subspan(static_cast<std::size_t>(k) * num_factors_, num_factors_);
}

void SoftMixture::shares(std::span<const double> x, std::span<double> alpha) const {
  internal::shares(gate_, 1, x, alpha);
}

void SoftMixture::shares(std::size_t rows, std::span<const double> x,
                         std::span<double> alpha) const {
  internal::shares(gate_, rows, x, alpha);
}

void SoftMixture::weights(std::span<const double> x, std::span<double> w) const {
  weights(1, x, w);
}

void SoftMixture::weights(std::size_t rows, std::span<const double> x, std::span<double> w) const {
  const Packed& packed = *packed_;
  assert(x.size() == rows * num_contexts() && w.size() == rows * num_factors_);
  KernelScratch scratch(rows, packed.experts.num_experts);
  if (packed.gate != nullptr) {
    packed.kernel.weights(*packed.gate, packed.experts, rows, x.data(), w.data(), scratch.data());
    return;
  }
  const std::size_t p = num_contexts();
  for (std::size_t row = 0; row < rows; row += kMaxTileRows) {
    const std::size_t tile = std::min(kMaxTileRows, rows - row);
    const std::span alpha(scratch.data(), tile * packed.experts.num_experts);
    internal::shares(gate_, tile, x.subspan(row * p, tile * p), alpha);
    packed.kernel.mix(packed.experts, tile, alpha.data(), w.data() + row * num_factors_);
  }
}

std::shared_ptr<const SoftMixture> with_experts(const SoftMixture& mixture,
                                                std::vector<double> experts) {
  return std::make_shared<SoftMixture>(mixture.gate(), mixture.num_factors(), std::move(experts));
}

}  // namespace otss::internal
