// The report of a fit: the data, the settings that were tried, which one was chosen and why, and
// the diagnostics. The model file keeps it as `provenance` (docs/reference/model-file.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "otss/base/options.hpp"
#include "otss/model/diagnostics.hpp"

namespace otss {

// Options and settings by name; a value is a flag, a whole number, a number or a word.
using ReportValue = std::variant<bool, std::int64_t, double, std::string>;
using NamedValues = std::map<std::string, ReportValue>;

// The log that a model was fitted on.
struct FittedData {
  std::size_t rows = 0;
  std::string fingerprint;  // LoggedData::fingerprint(): independent of the file format
};

// A mean over rows and its standard error (clustered by group where the log has groups).
struct MeanAndError {
  double mean = 0;
  double standard_error = 0;
};

// Is the gain over the pooled model (the same weights in every context) larger than its error?
struct GainVerdict {
  double lo = 0, hi = 0;   // 95 % interval of the gain: mean ± 1.96 standard errors
  bool supported = false;  // true when the whole interval is above 0
};
GainVerdict judge_gain(const MeanAndError& gain);

// Mean log-loss per held-out row.
struct HeldOutLosses {
  double model = 0;   // each row predicted by a model that was fitted and chosen without this row
  double pooled = 0;  // the pooled model's, on the same rows
};

// One setting of the soft mixture, and its weight in the average of all settings.
struct TriedMixture {
  int experts = 1;
  double gate_penalty = 0;
  double expert_penalty = 0;
  bool learns_relevance = false;  // the gate has a learned penalty for each context column
  double log_loss = 0;            // mean over held-out rows
  double weight = 0;              // in the average; all weights sum to 1
};

// The error of approximating the average of several mixtures by one mixture (distilling), measured
// over the log's contexts and the factors of its decisions.
struct DistillingLoss {
  // Mean squared difference of eta between the mixture and the average, divided by the part of the
  // variance of the average's eta that is due to weights varying with the context.
  // 0: no error; 1: no better than the pooled model.
  double relative = 0;
  double rms = 0;                // root mean squared difference of eta
  double changed_decisions = 0;  // share of contexts whose best logged decision differs
};

// How the soft mixture was chosen: settings are averaged with weights computed from held-out rows,
// and the average is approximated by the one mixture that is deployed.
struct AveragedSettings {
  std::vector<TriedMixture> tried;
  double baseline_penalty = 0, center_penalty = 0;  // of the pooled fit; all settings share them
  int experts = 1;                                  // of the mixture that was chosen
  DistillingLoss distilling;
  // Only with estimator bayes: total weight of the posteriors with GateColumns::kFew.
  std::optional<double> few_columns_share;
};

// How a comparison method was chosen: the setting with the lowest held-out loss.
struct ComparedSettings {
  struct Tried {
    NamedValues setting;
    double log_loss = 0;  // mean over held-out rows
  };
  std::vector<Tried> tried;
  NamedValues chosen;
};

// One of the gates that --gate auto compares.
struct TriedGate {
  std::string gate;     // the word that --gate takes
  double log_loss = 0;  // mean over held-out rows
};

// Which setting was chosen, and how.
struct ChoiceReport {
  std::variant<AveragedSettings, ComparedSettings> settings;
  std::string why;               // the reason for this choice, in words
  std::string split;             // how rows were held out, in words
  std::vector<TriedGate> gates;  // only with --gate auto
};

// A fit is started from several points.
struct StartsAgreeing {
  int tried = 0;     // number of starts
  int agreeing = 0;  // how many of them ended within 0.1 % of the lowest loss
};

// Did the Markov chains mix? (Gelman et al., Bayesian Data Analysis, 3rd ed., 11.4 and 11.5.)
struct Mixing {
  double r_hat = 1;  // split R-hat: 1 when the halves of all chains agree; above 1.1 they do not
  double effective_sample = 0;  // independent draws that would give the same precision of the mean
};

// Prior of the gate's slopes: how many context columns the gate depends on.
enum class GateColumns {
  kAll,  // on every column, to some degree: one learned prior scale per column, integrated out
  kFew   // on few columns: each prior scale at its most likely value, so that scales differ widely
};

constexpr auto word_table(GateColumns) {
  return std::to_array<WordOf<GateColumns>>(
      {{GateColumns::kAll, "all"}, {GateColumns::kFew, "few"}});
}

// The Markov chains that sampled one posterior.
struct ChainsReport {
  int experts = 1;
  GateColumns gate_columns = GateColumns::kAll;
  int chains = 0;
  std::size_t draws = 0;  // of each chain
  double acceptance = 0;  // acceptance rate of proposals, mean over chains
  Mixing log_posterior;   // of the log posterior density
  Mixing weights;  // of the weights w_j(x) at fixed contexts: 90 % of them mixed at least as well
  std::string warning;  // a sentence if the chains did not mix, else empty
};

struct FitDiagnostics {
  PredictionQuality quality;             // of the predictions of held-out rows
  std::optional<GateUse> gate;           // of the deployed model; absent if it has no gate
  std::optional<StartsAgreeing> starts;  // of the soft mixture
};

// A part is absent when it does not apply, when the model was made by another program, or when it
// was fitted by a version of otss that did not record the part.
struct FitReport {
  std::string software;            // program and version that fitted the model; empty: not known
  NamedValues options;             // of the fit; `otss fit --from MODEL` repeats them
  std::optional<FittedData> data;  // the log
  std::optional<ChoiceReport> choice;
  std::optional<HeldOutLosses> held_out;
  std::optional<MeanAndError>
      gain;  // held-out log-loss per row: the pooled model's less this one's
  std::optional<FitDiagnostics> diagnostics;
  std::vector<ChainsReport> chains;  // one entry per sampled posterior; empty: nothing was sampled
  std::string uncertainty_warning;   // why there are no intervals, or why they are doubtful
};

}  // namespace otss
