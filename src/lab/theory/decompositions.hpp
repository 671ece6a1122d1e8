// Where the error of a weight map comes from, on a sample of contexts: expectations are means over
// its rows, so the identities hold to rounding and the bounds exactly. Errors are squared weights.
#pragma once

#include <span>
#include <vector>

namespace otss {

// A map that is constant on cells (Proposition "Hard-partition decomposition"):
//   E‖w* - ŵ‖² = H(C) + E‖w_C - ŵ‖²,   w_C the mean of w* in each cell,   H(C) = E tr Var(w* | C).
struct HardDecomposition {
  double floor = 0;       // H(C): no amount of data takes it away
  double estimation = 0;  // what is left to learn with these cells
  double total = 0;       // E‖w* - ŵ‖²
};

// `truth` is rows × J; `cells` names the cell of each row, 0 … C-1; `cell_weights`, C × J, is ŵ.
HardDecomposition hard_decomposition(std::span<const double> truth, std::span<const int> cells,
                                     std::span<const double> cell_weights, int num_factors);

// H(C) alone.
double hard_floor(std::span<const double> truth, std::span<const int> cells, int num_factors);

// Σ_k α_k(x) β_k on rows of contexts.
struct SoftModel {
  int num_experts = 1;
  std::vector<double> shares;   // rows × K, each row on the simplex
  std::vector<double> experts;  // K × J

  int num_factors() const { return static_cast<int>(experts.size()) / num_experts; }
  std::size_t num_rows() const { return shares.size() / num_experts; }
};

// ŵ - w* in two parts (Proposition "OTSS expert/gate decomposition"), rows × J each; their sum is
// ŵ - w* whatever the labels of the experts, but the parts are only small with labels aligned:
//   expert part  Σ_k α̂_k (β̂_k - β_k)      gate part  Σ_k (α̂_k - α_k) β_k
struct ExpertGateParts {
  std::vector<double> expert;
  std::vector<double> gate;
};
ExpertGateParts expert_gate_parts(const SoftModel& estimate, const SoftModel& truth);

// E‖ŵ - w*‖² <= 2 (expert + gate), with expert = Σ_k E[α̂_k] ‖β̂_k - β_k‖² and
// gate = max_k ‖β_k‖² E‖α̂ - α‖_1².
struct ExpertGateBound {
  double expert = 0;
  double gate = 0;

  double total() const { return 2 * (expert + gate); }
};
ExpertGateBound expert_gate_bound(const SoftModel& estimate, const SoftModel& truth);

}  // namespace otss
