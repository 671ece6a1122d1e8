// Computes the loss of the mixture and its gradient in one pass over the rows. This file is
// compiled once per instruction set.
//
// One vector lane holds one row of the log. A tile stays in the first-level cache for six steps:
//
//   forward    computes 2K values per row: K-1 gate scores and the baseline from [x,1], and the
//              scores of the K experts from [z,1]
//   mix        replaces the baseline by eta, and every other value v by d eta / d v
//   offsets    adds the offset of the row to eta, if there are offsets
//   loss       computes the loss (logistic or squared), and replaces eta by d loss / d eta
//   chain      replaces every other value d eta / d v by d loss / d v (chain rule)
//   backward   multiplies these derivatives by the columns of the tile; the sum is the gradient
#include "engine/cpu/mixture_kernel.hpp"

#include <cstddef>

#include "engine/cpu/isa/linear_functions.hpp"
#include "engine/cpu/isa/vector_math.hpp"

namespace otss::internal {
namespace {

// Reads the gate scores, the baseline and the experts' scores. Replaces the baseline by eta, and
// every other value by the derivative of eta with respect to that value.
template <class Real, int K>
void mix(Prefetch& prefetch, Real* context_rows, Real* expert_rows) {
  using V = Vector<Real>;
  for (std::size_t i = 0; i < kRows; i += kLanes<Real>) {
    auto context = [&](int k) -> V& { return at(context_rows + k * kRows + i); };
    auto expert = [&](int k) -> V& { return at(expert_rows + k * kRows + i); };

    prefetch.fetch<kLanes<Real> / 2>();
    if constexpr (K == 1) {
      context(0) += expert(0);
      expert(0) = broadcast<Real>(1);
      continue;
    }
    V largest = at_least<Real>(0, context(0));  // the last expert has gate score 0
#pragma GCC unroll 8
    for (int k = 1; k + 1 < K; ++k) largest = context(k) > largest ? context(k) : largest;
    V share[K];
    V total{}, mean{};
#pragma GCC unroll 8
    for (int k = 0; k < K; ++k) {
      share[k] = exp_of_nonpositive<Real>((k + 1 < K ? context(k) : V{}) - largest);
      total += share[k];
      mean += share[k] * expert(k);
    }
    const V scale = Real(1) / total;
    mean *= scale;
#pragma GCC unroll 8
    for (int k = 0; k < K; ++k) {
      share[k] *= scale;
      if (k + 1 < K) context(k) = share[k] * (expert(k) - mean);
      expert(k) = share[k];
    }
    context(K - 1) += mean;
  }
}

template <class Real>
void add_offsets(const float* offsets, Real* eta_row) {
  for (std::size_t i = 0; i < kRows; i += kLanes<Real>) at(eta_row + i) += load<Real>(offsets + i);
}

// Replaces eta by d loss / d eta, adds this derivative to `derivative_sum`, and returns the loss of
// each lane.
//
// The margin m of a row is eta if the outcome is 1, and -eta if the outcome is 0. The loss of a row
// with weight w is
//
//   w (max(-m, 0) + log(1 + exp(-|m|)))
//
// If every weight is 0 or 1, the code multiplies the terms 1 + w exp(-|m|) of a lane and takes one
// logarithm of the product, instead of one logarithm per row. Each term is in [1, 2], and a lane
// has at most kRows / 2 terms, so the product cannot overflow.
template <class Real, bool kUnitWeights>
Vector<Real> logistic(const float* signed_weights, Real* eta_row, Vector<Real>& derivative_sum) {
  using V = Vector<Real>;
  V twice_hinge{}, logs{}, product = broadcast<Real>(1);
#pragma GCC unroll 2
  for (std::size_t i = 0; i < kRows; i += kLanes<Real>) {
    V& eta = at(eta_row + i);
    const V signed_weight = load<Real>(signed_weights + i);
    const V weight = absolute<Real>(signed_weight);
    const V margin = kUnitWeights ? signed_weight * eta : with_sign_of<Real>(eta, signed_weight);
    const V size = absolute<Real>(margin);
    const V tail = exp_of_nonpositive<Real>(-size);
    const V one_plus_tail = Real(1) + tail;
    if constexpr (kUnitWeights) {
      twice_hinge += size - margin;
      product *= Real(1) + weight * tail;
    } else {
      twice_hinge += weight * (size - margin);
      logs += weight * log_of_at_least_one<Real>(one_plus_tail);
    }
    eta = -signed_weight * (margin > Real(0) ? tail : broadcast<Real>(1)) / one_plus_tail;
    derivative_sum += eta;
  }
  if constexpr (kUnitWeights) logs = log_of_at_least_one<Real>(product);
  return Real(0.5) * twice_hinge + logs;
}

// Does the same for outcomes y of the gaussian family: the loss of a row is w (eta - y)² / 2.
template <class Real>
Vector<Real> squared(const float* signed_weights, const float* outcomes, Real* eta_row,
                     Vector<Real>& derivative_sum) {
  using V = Vector<Real>;
  V twice_loss{};
#pragma GCC unroll 2
  for (std::size_t i = 0; i < kRows; i += kLanes<Real>) {
    V& eta = at(eta_row + i);
    const V residual = eta - load<Real>(outcomes + i);
    eta = absolute<Real>(load<Real>(signed_weights + i)) * residual;
    twice_loss += eta * residual;
    derivative_sum += eta;
  }
  return Real(0.5) * twice_loss;
}

// Computes the losses of one tile's rows as `kLoss` says.
template <class Real, RowLoss kLoss>
Vector<Real> row_losses(const MixtureChunk& chunk, std::size_t tile, Real* eta_row,
                        Vector<Real>& derivative_sum) {
  const float* signed_weights = chunk.signed_weights + tile * kRows;
  if constexpr (kLoss == RowLoss::kSquared)
    return squared<Real>(signed_weights, chunk.outcomes + tile * kRows, eta_row, derivative_sum);
  return logistic<Real, kLoss == RowLoss::kLogisticOfUnitWeights>(signed_weights, eta_row,
                                                                  derivative_sum);
}

// Applies the chain rule: d loss / d value = d loss / d eta * d eta / d value. The sums of these
// derivatives over rows are the gradient with respect to the constants of the linear functions.
template <class Real, int kCount>
void chain(const Real* by_eta, Real* rows, Vector<Real>* sums) {
  Vector<Real> local[kCount];
#pragma GCC unroll 8
  for (int k = 0; k < kCount; ++k) local[k] = sums[k];
#pragma GCC unroll 1  // if GCC 12 unrolled this loop too, it would keep the sums in memory
  for (std::size_t i = 0; i < kRows; i += kLanes<Real>) {
#pragma GCC unroll 8
    for (int k = 0; k < kCount; ++k) local[k] += at(rows + k * kRows + i) *= at(by_eta + i);
  }
#pragma GCC unroll 8
  for (int k = 0; k < kCount; ++k) sums[k] = local[k];
}

template <class Real, int K, RowLoss kLoss>
double loss_gradient(const MixtureChunk& chunk, const double* theta, double* gradient,
                     void* workspace) {
  using Functions = LinearFunctions<Real, K>;
  const std::size_t context_size = Functions::size(chunk.num_contexts);
  const std::size_t size = context_size + Functions::size(chunk.num_factors);
  auto* sums = static_cast<Vector<Real>*>(workspace);
  auto* rows = reinterpret_cast<Real*>(sums + size);
  auto* packed = rows + 2 * K * kRows;
  Functions contexts{chunk.num_contexts, packed, rows, sums};
  Functions factors{chunk.num_factors, packed + context_size, rows + K * kRows,
                    sums + context_size};
  contexts.begin(theta);
  factors.begin(theta + context_size);

  Vector<Real> loss_lanes{};
  double loss = 0;
  for (std::size_t i = 0; i < size; ++i) gradient[i] = 0;
  auto flush = [&] {
    loss += take(loss_lanes);
    contexts.flush(gradient);
    factors.flush(gradient + context_size);
  };

  const std::size_t tile_size =
      static_cast<std::size_t>(chunk.num_contexts + chunk.num_factors) * kRows;
  const std::size_t factors_begin = chunk.num_contexts * kRows;
  for (std::size_t t = 0; t < chunk.num_tiles; ++t) {
    const std::size_t following = t + 1 < chunk.num_tiles ? t + 1 : t;
    const float* tile = chunk.features + chunk.tiles[t] * tile_size;
    Prefetch prefetch{chunk.features + chunk.tiles[following] * tile_size};
    contexts.forward(tile, prefetch);
    factors.forward(tile + factors_begin, prefetch);
    mix<Real, K>(prefetch, contexts.rows, factors.rows);
    Real* eta = contexts.rows + (K - 1) * kRows;
    if (chunk.offsets != nullptr) add_offsets(chunk.offsets + chunk.tiles[t] * kRows, eta);
    loss_lanes +=
        row_losses<Real, kLoss>(chunk, chunk.tiles[t], eta, contexts.constant_sums()[K - 1]);
    if constexpr (K > 1) chain<Real, K - 1>(eta, contexts.rows, contexts.constant_sums());
    chain<Real, K>(eta, factors.rows, factors.constant_sums());
    contexts.backward(tile, prefetch);
    factors.backward(tile + factors_begin, prefetch);
    if ((t + 1) % kTilesPerFlush == 0) flush();
  }
  flush();
  return loss;
}

template <class Real, RowLoss kLoss>
MixtureKernel for_experts(int num_experts) {
  constexpr MixtureKernel kKernels[kMaxFastExperts] = {
      loss_gradient<Real, 1, kLoss>, loss_gradient<Real, 2, kLoss>, loss_gradient<Real, 3, kLoss>,
      loss_gradient<Real, 4, kLoss>, loss_gradient<Real, 5, kLoss>, loss_gradient<Real, 6, kLoss>,
      loss_gradient<Real, 7, kLoss>, loss_gradient<Real, 8, kLoss>};
  return kKernels[num_experts - 1];
}

template <class Real>
MixtureKernel for_loss(int num_experts, RowLoss loss) {
  switch (loss) {
    case RowLoss::kLogisticOfUnitWeights:
      return for_experts<Real, RowLoss::kLogisticOfUnitWeights>(num_experts);
    case RowLoss::kLogistic: return for_experts<Real, RowLoss::kLogistic>(num_experts);
    case RowLoss::kSquared: break;
  }
  return for_experts<Real, RowLoss::kSquared>(num_experts);
}

}  // namespace

MixtureKernel OTSS_ISA_NAMESPACE::mixture_kernel(Precision precision, int num_experts,
                                                 RowLoss loss) {
  return precision == Precision::kSingle ? for_loss<float>(num_experts, loss)
                                         : for_loss<double>(num_experts, loss);
}

}  // namespace otss::internal
