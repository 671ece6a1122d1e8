// What a fit found: the data it saw, what was tried, what was chosen and why, and how far to trust
// it. The model file keeps it as `provenance` (docs/reference/model-file.md).
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

struct FittedData {
  std::size_t rows = 0;
  std::string fingerprint;  // of the rows in their order, whatever file they came in
};

// A mean over rows and its standard error (clustered by group where the log has groups).
struct MeanAndError {
  double mean = 0;
  double standard_error = 0;
};

// What a gain over one trade-off for everybody says.
struct GainVerdict {
  double lo = 0, hi = 0;   // 95 % interval
  bool supported = false;  // the whole interval is above 0
};
GainVerdict judge_gain(const MeanAndError& gain);

// Mean log-loss of rows that were held out, per row.
struct HeldOutLosses {
  double model = 0;   // of the procedure: each row predicted by what was chosen without it
  double pooled = 0;  // of one trade-off for everybody, on the same rows
};

// A setting of the soft mixture, averaged with the others.
struct TriedMixture {
  int experts = 1;
  double gate_penalty = 0;
  double expert_penalty = 0;
  bool learns_relevance = false;  // of each context column to the gate
  double log_loss = 0;            // of held-out rows
  double weight = 0;              // in the average
};

// What one mixture loses of the average, over the log's contexts and the factors of its decisions.
struct DistillingLoss {
  // Mean squared difference of the logits, relative to how much the average's logits vary because
  // weights vary with the context: 0 lost nothing, 1 is no better than one trade-off for everybody.
  double relative = 0;
  double rms = 0;                // root mean squared difference of the logits
  double changed_decisions = 0;  // share of contexts whose best logged decision is another one
};

// How the soft mixture was chosen: settings are weighed by held-out rows and averaged, and one
// mixture stands for the average.
struct AveragedSettings {
  std::vector<TriedMixture> tried;
  double baseline_penalty = 0, center_penalty = 0;  // of the pooled fit; all settings share them
  int experts = 1;                                  // of the mixture that was chosen
  DistillingLoss distilling;
  std::optional<double> few_columns_share;  // bayes: of posteriors that believe in few columns
};

// How a comparison method was chosen: the setting with the lowest held-out loss.
struct ComparedSettings {
  struct Tried {
    NamedValues setting;
    double log_loss = 0;  // of held-out rows
  };
  std::vector<Tried> tried;
  NamedValues chosen;
};

struct TriedGate {
  std::string gate;  // as --gate names it
  double log_loss = 0;
};

struct ChoiceReport {
  std::variant<AveragedSettings, ComparedSettings> settings;
  std::string why;               // this one, in words
  std::string split;             // how rows were held out, in words
  std::vector<TriedGate> gates;  // only with --gate auto
};

// Starts of one fit, and how many of them ended at the best one's loss (to a thousandth).
struct StartsAgreeing {
  int tried = 0;
  int agreeing = 0;
};

// Did chains of draws mix? (Gelman et al., Bayesian Data Analysis, 3rd ed., 11.4 and 11.5.)
struct Mixing {
  double r_hat = 1;  // split R-hat: 1 when halves of all chains look alike; above 1.1 they do not
  double effective_sample = 0;  // independent draws that would give the same precision of the mean
};

// What is believed about the gate before the log is seen.
enum class GateColumns {
  kAll,  // every context column matters some: a learned strength each, integrated out
  kFew   // most do not matter at all: each strength at its most likely value, far apart
};

constexpr auto word_table(GateColumns) {
  return std::to_array<WordOf<GateColumns>>(
      {{GateColumns::kAll, "all"}, {GateColumns::kFew, "few"}});
}

struct ChainsReport {
  int experts = 1;
  GateColumns gate_columns = GateColumns::kAll;
  int chains = 0;
  std::size_t draws = 0;  // of each chain
  double acceptance = 0;  // mean over chains
  Mixing log_posterior;
  Mixing weights;       // of w_j(x) at fixed contexts: nine in ten have mixed at least so well
  std::string warning;  // a sentence where the chains did not mix, else empty
};

struct FitDiagnostics {
  PredictionQuality quality;             // of the predictions of held-out rows
  std::optional<GateUse> gate;           // of the deployed model; none where it has no gate
  std::optional<StartsAgreeing> starts;  // of the soft mixture
};

// A part is absent where the model was not fitted by this program, or by one that did not say.
struct FitReport {
  std::string software;  // what fitted it; empty: not known
  NamedValues options;   // of the fit: what --from repeats
  std::optional<FittedData> data;
  std::optional<ChoiceReport> choice;
  std::optional<HeldOutLosses> held_out;
  std::optional<MeanAndError> gain;  // log-loss per row over one trade-off for everybody
  std::optional<FitDiagnostics> diagnostics;
  std::vector<ChainsReport> chains;  // of every posterior that was sampled
  std::string uncertainty_warning;   // why there are no intervals, or why they are doubtful
};

}  // namespace otss
