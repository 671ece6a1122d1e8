// Fits mixtures of probabilities,
//
//   P(y = 1 | x, z) = sum_k pi_k(x) sigma(psi'[x, 1] + beta_k'[z, 1])     sigma: logistic function
//
// and decides whether one of them predicts held-out rows better than a rival, the average of soft
// mixtures. The soft mixture gives every row of a context the same weights, sum_k alpha_k beta_k. The
// mixture of probabilities says that each row follows one of the experts, with the shares pi_k(x) as
// probabilities. So it also describes tastes that differ between rows with equal contexts
// (docs/adr/0021).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "learn/averaging/cross_validation.hpp"
#include "learn/mixture/pooled.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::internal {

struct ProbabilitySetting {
  int experts = 2;
  // If true, the shares are the same in every context: the slopes of the gate are 0.
  bool same_shares = false;
  Penalty penalty = {};
};

struct TriedProbabilities {
  ProbabilitySetting setting;
  double loss = 0;  // mean loss over the held-out rows
};

// Predictions of held-out rows by fits without these rows, one entry per row. `model` has NaN in rows
// that are never held out. If some rows have NaN, the mixtures of probabilities are fitted once, to
// these rows.
struct HeldOutRival {
  std::span<const double> model;
  std::span<const double> pooled;
};

struct ProbabilityOptions {
  std::vector<int> experts;  // values of K to try
  int folds = defaults::kFolds;
  std::uint64_t seed = 1;
  int num_threads = 1;
  // If not empty, fits start from these parameters. Then `experts` has one K, that of `start`.
  std::vector<double> start = {};
};

struct ProbabilityMixture {
  std::vector<TriedProbabilities> tried;  // empty if the first test showed no gain
  ProbabilitySetting setting;             // the best of them
  // Loss of the rival minus loss of the mixture of probabilities, on held-out rows.
  MeanAndError lead;
  // True if the lead is larger than defaults::kProbabilitiesLead standard errors.
  bool chosen = false;
  // The parameters, fitted to all rows. Empty if `chosen` is false.
  MixtureLayout layout = {};
  std::vector<double> theta;
  // For each held-out row, the prediction by the setting that was chosen without this row. NaN for
  // rows that are never held out, and for rows that are not in the subsample of a large log.
  std::vector<double> held_out_eta;
  double loss = 0, pooled_loss = 0;  // mean losses over these rows
  MeanAndError gain;                 // loss of the pooled model minus loss of this model
  // Loss with the same shares in every context minus loss with shares that depend on the context.
  // Absent if there are no contexts.
  std::optional<MeanAndError> context_gain;
};

// Fits mixtures of probabilities and compares the best of them with the rival. First one fold is
// fitted with one K. If nothing predicts the held-out rows of this fold better than the rival does,
// no more is fitted. Logs with more than defaults::kSelectionRows rows are judged on a subsample.
// Shares that depend on the context are chosen if they predict better than equal shares do by more
// than a standard error. Precondition: outcomes are 0/1, and there are no bounds.
ProbabilityMixture choose_probabilities(const LoggedData& log, const Problem& problem,
                                        const PooledFit& pooled, const HeldOutRival& rival,
                                        const ProbabilityOptions& options);

}  // namespace otss::internal
