// The report of a fit: the data, the settings that were tried, the setting that was chosen and why,
// and the diagnostics. The model file stores the report as `provenance`
// (docs/reference/model-file.md).
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
  std::string fingerprint;  // LoggedData::fingerprint(); it does not depend on the file format
};

// A mean over rows and its standard error, which is clustered by group if the log has groups.
struct MeanAndError {
  double mean = 0;
  double standard_error = 0;
};

// Says whether the gain over the pooled model (which has the same weights in every context) is
// larger than its error.
struct GainVerdict {
  double lo = 0, hi = 0;  // 95 % interval of the gain: mean ± 1.96 standard errors
  // True if the whole interval is above 0 and the gain is at least 1e-5 per row.
  bool supported = false;
};
GainVerdict judge_gain(const MeanAndError& gain);

// Mean log-losses per held-out row.
struct HeldOutLosses {
  double model = 0;   // each row is predicted by a model that was fitted and chosen without it
  double pooled = 0;  // of the pooled model, on the same rows
};

// One setting of the soft mixture, and its weight in the average of all settings.
struct TriedMixture {
  int experts = 1;
  double gate_penalty = 0;
  double expert_penalty = 0;
  bool learns_relevance = false;  // true if the gate has a learned penalty for each context column
  double log_loss = 0;            // mean over held-out rows
  double weight = 0;              // in the average; all weights sum to 1
};

// The error that is made when the average of several mixtures is replaced by one mixture
// (distilling). It is measured on the log's contexts and on the factors of the logged decisions.
struct DistillingLoss {
  // The mean squared difference of eta between the mixture and the average, divided by the part of
  // the variance of the average's eta that comes from weights that vary with the context. 0 means
  // no error; 1 means that the mixture is no better than the pooled model.
  double relative = 0;
  double rms = 0;  // the root mean squared difference of eta between the mixture and the average
  // The share of contexts in which the mixture and the average prefer different logged decisions.
  double changed_decisions = 0;
};

// How the soft mixture was chosen. Settings are averaged with weights that are computed from
// held-out rows. This average is then approximated by one mixture, the model that is used.
struct AveragedSettings {
  std::vector<TriedMixture> tried;
  // The penalties of the pooled fit, which all settings use.
  double baseline_penalty = 0, center_penalty = 0;
  int experts = 1;  // the number of experts of the chosen mixture
  DistillingLoss distilling;
  // The total weight of the posteriors with GateColumns::kFew; only with the estimator bayes.
  std::optional<double> few_columns_share;
};

// How a comparison method was chosen: it has the setting with the lowest held-out loss.
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

// How many starts of a fit agree. A fit is started from several points.
struct StartsAgreeing {
  int tried = 0;     // the number of starts
  int agreeing = 0;  // the number of starts that ended within 0.1 % of the lowest loss
};

// Says whether the Markov chains mixed (Gelman et al., Bayesian Data Analysis, 3rd ed., 11.4,
// 11.5).
struct Mixing {
  // Split R-hat: 1 if the halves of all chains agree; above 1.1 means that they do not.
  double r_hat = 1;
  // The number of independent draws that would give the mean with the same precision.
  double effective_sample = 0;
};

// The prior of the gate's slopes, which says how many context columns the gate depends on.
enum class GateColumns {
  // The gate depends a little on every column: each column has a prior scale, which is integrated
  // out.
  kAll,
  // The gate depends on few columns: each prior scale has its most likely value, so that scales
  // differ widely.
  kFew
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
  std::size_t draws = 0;  // the number of draws of each chain
  double acceptance = 0;  // the mean over chains of the share of proposals that were accepted
  Mixing log_posterior;   // how well the log posterior density mixed
  // How the weights w_j(x) at fixed contexts mixed: 90 % of these weights mixed at least as well as
  // this.
  Mixing weights;
  std::string warning;  // a sentence if the chains did not mix; otherwise empty
};

struct FitDiagnostics {
  PredictionQuality quality;  // the quality of the predictions of held-out rows
  // How the final model's gate is used; absent if the model has no gate.
  std::optional<GateUse> gate;
  std::optional<StartsAgreeing> starts;  // only for the soft mixture
};

// An optional part of the report is absent if it does not apply, if the model was made by another
// program, or if the version of otss that fitted the model did not record this part.
struct FitReport {
  // The program, with its version, that fitted the model; empty if it is not known.
  std::string software;
  NamedValues options;  // the options of the fit; `otss fit --from MODEL` uses them again
  std::optional<FittedData> data;  // the log that the model was fitted on
  std::optional<ChoiceReport> choice;
  std::optional<HeldOutLosses> held_out;
  // Mean log-loss on held-out rows of the pooled model minus that of this model.
  std::optional<MeanAndError> gain;
  std::optional<FitDiagnostics> diagnostics;
  // One entry per sampled posterior; empty if nothing was sampled.
  std::vector<ChainsReport> chains;
  std::string uncertainty_warning;  // says why there are no intervals, or why they are doubtful
};

}  // namespace otss
