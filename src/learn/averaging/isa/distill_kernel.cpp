// All steps are products of small matrices on a block of contexts, and a softmax. Parameters are
// broadcast; the columns of a block are loaded as vectors.
#include "learn/averaging/isa/distill_kernel.hpp"

#include "model/maps/isa/block_products.hpp"
#include "model/maps/isa/block_softmax.hpp"
#include "model/maps/isa/vector_log.hpp"

namespace otss::internal {
namespace {

inline void shares_of(const Columns& context, const BlockMixture& mixture, double* shares) {
  linear<kContextsPerBlock>(context, mixture.num_experts - 1, {mixture.gate, context.count, 1},
                            shares);
  softmax<kContextsPerBlock>(mixture.num_experts, shares);
}

// Computes sum_k alpha_k experts_k of a block, one output after the other.
inline void outputs_of(const BlockMixture& mixture, const double* shares, double* outputs) {
  linear<kContextsPerBlock>({mixture.num_experts, shares}, mixture.num_outputs,
                            {mixture.experts, 1, mixture.num_outputs}, outputs);
}

void add_outputs(const ContextBlocks& contexts, const BlockMixture& mixture, double scale,
                 double* outputs, double* scratch) {
  double* const shares = scratch;
  double* const own = shares + mixture.num_experts * kContextsPerBlock;
  const std::size_t size = mixture.num_outputs * kContextsPerBlock;
  for (std::size_t block = 0; block < contexts.num_blocks; ++block, outputs += size) {
    const Columns context{contexts.num_columns,
                          contexts.columns + block * contexts.num_columns * kContextsPerBlock};
    shares_of(context, mixture, shares);
    outputs_of(mixture, shares, own);
    for (std::size_t i = 0; i < size; i += kLanes)
      store(load(outputs + i) + scale * load(own + i), outputs + i);
  }
}

// Replaces the outputs by the weighted errors, and returns the sum of weight × error² per lane.
inline Vector weighted_errors(std::size_t num_outputs, const double* weights, const double* targets,
                              double* outputs) {
  Vector squares{};
  for (std::size_t i = 0; i < kContextsPerBlock; i += kLanes) {
    const Vector weight = load(weights + i);
    for (std::size_t j = 0; j < num_outputs; ++j) {
      double* const output = outputs + j * kContextsPerBlock + i;
      const Vector error = load(output) - load(targets + j * kContextsPerBlock + i);
      const Vector weighted = weight * error;
      squares += error * weighted;
      store(weighted, output);
    }
  }
  return squares;
}

// Adds the derivative of price × weight × entropy with respect to each share to `by_share`. Terms of
// the derivative that are equal for all shares of one context are omitted: they have no effect on the
// derivative with respect to the gate scores. Returns weight × entropy, summed per lane.
inline Vector add_entropy(std::size_t num_experts, const double* weights, const double* shares,
                          double price, double* by_share) {
  constexpr double kLeastShare = 1e-300;  // so that 0 log 0 evaluates to 0
  Vector sum{};
  for (std::size_t i = 0; i < kContextsPerBlock; i += kLanes) {
    const Vector weight = load(weights + i);
    for (std::size_t k = 0; k < num_experts * kContextsPerBlock; k += kContextsPerBlock) {
      const Vector share = load(shares + k + i);
      const Vector weighted_log = weight * log_of_positive(larger(share, broadcast(kLeastShare)));
      sum -= share * weighted_log;
      store(load(by_share + k + i) - price * weighted_log, by_share + k + i);
    }
  }
  return sum;
}

// Replaces derivatives with respect to the shares by derivatives with respect to the gate scores.
inline void by_scores(std::size_t num_experts, const double* shares, double* by_share) {
  const std::size_t size = num_experts * kContextsPerBlock;
  for (std::size_t i = 0; i < kContextsPerBlock; i += kLanes) {
    Vector mean{};
    for (std::size_t k = 0; k < size; k += kContextsPerBlock)
      mean += load(shares + k + i) * load(by_share + k + i);
    for (std::size_t k = 0; k < size; k += kContextsPerBlock)
      store(load(shares + k + i) * (load(by_share + k + i) - mean), by_share + k + i);
  }
}

double objective(const ContextBlocks& contexts, const BlockMixture& mixture, const double* targets,
                 double entropy_price, double* gradient, double* scratch) {
  const std::size_t num_experts = mixture.num_experts;
  const std::size_t gate_size = (num_experts - 1) * contexts.num_columns;
  const std::size_t size = gate_size + num_experts * mixture.num_outputs;
  double* const shares = scratch;
  double* const by_share = shares + num_experts * kContextsPerBlock;
  double* const errors = by_share + num_experts * kContextsPerBlock;
  auto* const sums = reinterpret_cast<Vector*>(errors + mixture.num_outputs * kContextsPerBlock);
  for (std::size_t i = 0; i < size; ++i) sums[i] = Vector{};
  Vector squares{}, entropy{};
  for (std::size_t block = 0; block < contexts.num_blocks; ++block) {
    const Columns context{contexts.num_columns,
                          contexts.columns + block * contexts.num_columns * kContextsPerBlock};
    const double* const weights = contexts.weights + block * kContextsPerBlock;
    shares_of(context, mixture, shares);
    outputs_of(mixture, shares, errors);
    squares += weighted_errors(mixture.num_outputs, weights,
                               targets + block * mixture.num_outputs * kContextsPerBlock, errors);
    linear<kContextsPerBlock>({mixture.num_outputs, errors}, num_experts,
                              {mixture.experts, mixture.num_outputs, 1}, by_share);
    if (entropy_price > 0)
      entropy += add_entropy(num_experts, weights, shares, entropy_price, by_share);
    by_scores(num_experts, shares, by_share);
    add_products<kContextsPerBlock>(context, num_experts - 1, by_share, sums);
    add_products<kContextsPerBlock>({mixture.num_outputs, errors}, num_experts, shares,
                                    sums + gate_size);
  }
  for (std::size_t i = 0; i < size; ++i) gradient[i] = sum_of_lanes(sums[i]);
  return 0.5 * sum_of_lanes(squares) + entropy_price * sum_of_lanes(entropy);
}

}  // namespace

const DistillKernel OTSS_ISA_NAMESPACE::kDistillKernel = {add_outputs, objective};

}  // namespace otss::internal
