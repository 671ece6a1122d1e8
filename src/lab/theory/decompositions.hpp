// Decomposes the error of a weight map (a function from contexts to weights) on a sample of
// contexts. Expectations are means over the sample's rows, so the identities below hold up to
// rounding errors, and the bounds hold exactly. Errors are in squared units of a weight.
#pragma once

#include <span>
#include <vector>

namespace otss::internal {

// The two parts of the error of a weight map ŵ that is constant on each cell of a partition C of
// the contexts (Proposition "Hard-partition decomposition"). w* are the true weights, and w_C is
// the mean of w* in each cell:
//
//   E‖w* - ŵ‖² = H(C) + E‖w_C - ŵ‖²,   H(C) = E tr Var(w* | C)
struct HardDecomposition {
  double floor = 0;       // H(C), which more rows do not reduce
  double estimation = 0;  // E‖w_C - ŵ‖², which more rows reduce
  double total = 0;       // E‖w* - ŵ‖²
};

// `truth` is w*, rows × J. `cells` has the cell of each row, counted from 0. `cell_weights` is ŵ,
// cells × J.
HardDecomposition hard_decomposition(std::span<const double> truth, std::span<const int> cells,
                                     std::span<const double> cell_weights, int num_factors);

// Returns only HardDecomposition::floor.
double hard_floor(std::span<const double> truth, std::span<const int> cells, int num_factors);

// The weight map Σ_k α_k(x) β_k, given by its values at a sample of contexts.
struct SoftModel {
  int num_experts = 1;
  std::vector<double> shares;   // rows × K; each row sums to 1
  std::vector<double> experts;  // K × J

  int num_factors() const { return static_cast<int>(experts.size()) / num_experts; }
  std::size_t num_rows() const { return shares.size() / num_experts; }
};

// The two parts of the error ŵ - w* (Proposition "OTSS expert/gate decomposition"). α̂ and β̂ are
// the estimated shares and experts, α and β the true ones. Each part is a matrix of rows × J:
//
//   expert part  Σ_k α̂_k (β̂_k - β_k)      gate part  Σ_k (α̂_k - α_k) β_k
//
// The sum is ŵ - w* for any numbering of the experts, but each part is small only if the experts
// have the same numbers in the estimate and in the truth.
struct ExpertGateParts {
  std::vector<double> expert;
  std::vector<double> gate;
};
ExpertGateParts expert_gate_parts(const SoftModel& estimate, const SoftModel& truth);

// The two terms of an upper bound on the error of a soft model. α̂ and β̂ are the estimated shares
// and experts, α and β the true ones:
//
//   E‖ŵ - w*‖² <= 2 (expert + gate)
//   expert = Σ_k E[α̂_k] ‖β̂_k - β_k‖²
//   gate   = max_k ‖β_k‖² E‖α̂ - α‖_1²
struct ExpertGateBound {
  double expert = 0;
  double gate = 0;

  double total() const { return 2 * (expert + gate); }
};
ExpertGateBound expert_gate_bound(const SoftModel& estimate, const SoftModel& truth);

}  // namespace otss::internal
