#include "otss/model/weight_map.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/isa.hpp"
#include "model/maps/cache_line.hpp"
#include "model/maps/isa/weights_kernel.hpp"

namespace otss {
namespace {

// What a kernel call needs besides its result; on the stack for the sizes people use.
class Scratch {
 public:
  Scratch(std::size_t rows, std::size_t num_experts) {
    const std::size_t size = scratch_size(rows, num_experts);
    if (size > kStackSize) on_heap_.resize(lines_for(size));
  }
  double* data() { return on_heap_.empty() ? on_stack_ : on_heap_.front().lanes; }

 private:
  static constexpr std::size_t kStackSize = 2048;
  alignas(64) double on_stack_[kStackSize];
  CacheLines on_heap_;
};

// Matrix rows padded with zeros to whole lines.
class PaddedRows {
 public:
  PaddedRows(std::size_t num_rows, std::size_t num_columns)
      : lines_per_row_(lines_for(num_columns)), lines_(num_rows * lines_per_row_) {}

  double& at(std::size_t row, std::size_t column) {
    return lines_[row * lines_per_row_ + column / kDoublesPerLine].lanes[column % kDoublesPerLine];
  }
  const double* data() const { return lines_.empty() ? nullptr : lines_.front().lanes; }

 private:
  std::size_t lines_per_row_;
  CacheLines lines_;
};

}  // namespace

void WeightMap::weights(std::size_t rows, std::span<const double> x, std::span<double> w) const {
  const std::size_t p = num_contexts();
  const std::size_t num_weights = num_factors();
  for (std::size_t row = 0; row < rows; ++row) {
    weights(x.subspan(row * p, p), w.subspan(row * num_weights, num_weights));
  }
}

double WeightMap::score(std::span<const double> x, std::span<const double> z) const {
  std::vector<double> w(num_factors());
  weights(x, w);
  double sum = 0;
  for (std::size_t j = 0; j < w.size(); ++j) sum += w[j] * z[j];
  return sum;
}

void Gate::shares(std::size_t rows, std::span<const double> x, std::span<double> alpha) const {
  const std::size_t p = num_contexts();
  const std::size_t num_shares = num_experts();
  for (std::size_t row = 0; row < rows; ++row) {
    shares(x.subspan(row * p, p), alpha.subspan(row * num_shares, num_shares));
  }
}

struct LinearGate::Packed {
  PaddedRows intercepts;
  PaddedRows columns;
  PackedGate view;

  explicit Packed(const LinearGate& gate)
      : intercepts(1, gate.intercepts_.size()),
        columns(gate.num_contexts_, gate.intercepts_.size()) {
    const std::size_t p = gate.num_contexts_;
    for (std::size_t k = 0; k < gate.intercepts_.size(); ++k) {
      intercepts.at(0, k) = gate.intercepts_[k];
      for (std::size_t j = 0; j < p; ++j) columns.at(j, k) = gate.slopes_[k * p + j];
    }
    view = {p, gate.intercepts_.size(), intercepts.data(), columns.data()};
  }
};

LinearGate::LinearGate(int num_contexts, std::vector<double> slopes, std::vector<double> intercepts)
    : num_contexts_(num_contexts), slopes_(std::move(slopes)), intercepts_(std::move(intercepts)) {
  assert(num_contexts >= 0 && !intercepts_.empty());
  assert(slopes_.size() == intercepts_.size() * num_contexts);
  packed_ = std::make_shared<const Packed>(*this);
}

const PackedGate& LinearGate::packed() const { return packed_->view; }

void LinearGate::shares(std::span<const double> x, std::span<double> alpha) const {
  shares(1, x, alpha);
}

void LinearGate::shares(std::size_t rows, std::span<const double> x,
                        std::span<double> alpha) const {
  assert(x.size() == rows * num_contexts_ && alpha.size() == rows * intercepts_.size());
  Scratch scratch(rows, intercepts_.size());
  weights_kernel(active_isa()).shares(packed_->view, rows, x.data(), alpha.data(), scratch.data());
}

struct SoftMixture::Packed {
  const WeightsKernel& kernel = weights_kernel(active_isa());
  const PackedGate* gate;  // null when the gate is not linear
  PaddedRows rows;
  PackedExperts experts;

  explicit Packed(const SoftMixture& mixture) : rows(mixture.num_experts(), mixture.num_factors_) {
    const auto* linear = dynamic_cast<const LinearGate*>(mixture.gate_.get());
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

SoftMixture::SoftMixture(std::shared_ptr<const Gate> gate, int num_factors,
                         std::vector<double> experts)
    : gate_(std::move(gate)), num_factors_(num_factors), experts_(std::move(experts)) {
  assert(num_factors_ >= 1);
  assert(experts_.size() == static_cast<std::size_t>(num_experts()) * num_factors_);
  packed_ = std::make_unique<const Packed>(*this);
}

SoftMixture::~SoftMixture() = default;

int SoftMixture::num_contexts() const { return gate_->num_contexts(); }
int SoftMixture::num_experts() const { return gate_->num_experts(); }

std::span<const double> SoftMixture::expert(int k) const {
  return std::span(experts_).subspan(static_cast<std::size_t>(k) * num_factors_, num_factors_);
}

void SoftMixture::weights(std::span<const double> x, std::span<double> w) const {
  weights(1, x, w);
}

void SoftMixture::weights(std::size_t rows, std::span<const double> x, std::span<double> w) const {
  const Packed& packed = *packed_;
  assert(x.size() == rows * num_contexts() && w.size() == rows * num_factors_);
  Scratch scratch(rows, packed.experts.num_experts);
  if (packed.gate != nullptr) {
    packed.kernel.weights(*packed.gate, packed.experts, rows, x.data(), w.data(), scratch.data());
    return;
  }
  const std::size_t p = num_contexts();
  for (std::size_t row = 0; row < rows; row += kMaxTileRows) {
    const std::size_t tile = std::min(kMaxTileRows, rows - row);
    const std::span alpha(scratch.data(), tile * packed.experts.num_experts);
    gate_->shares(tile, x.subspan(row * p, tile * p), alpha);
    packed.kernel.mix(packed.experts, tile, alpha.data(), w.data() + row * num_factors_);
  }
}

}  // namespace otss
