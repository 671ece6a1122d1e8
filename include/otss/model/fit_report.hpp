// A FitReport is the report of a fit. It describes the data, the settings that were tried, the
// setting that was chosen and the reason, and the diagnostics. The model file stores the report as
// `provenance` (docs/reference/model-file.md).
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
#include "otss/data/finding.hpp"
#include "otss/model/diagnostics.hpp"
#include "otss/model/method.hpp"
#include "otss/model/units.hpp"
#include "otss/model/weight_checks.hpp"

namespace otss {

// NamedValues holds options or settings by name. A value is a flag, a whole number, a number or a
// word.
using ReportValue = std::variant<bool, std::int64_t, double, std::string>;
using NamedValues = std::map<std::string, ReportValue>;

// The log that a model was fitted on.
struct FittedData {
  std::size_t rows = 0;
  std::string fingerprint;  // LoggedData::fingerprint(), which does not depend on the file format
};

// A mean over rows and its standard error, which is clustered by group if the log has groups.
struct MeanAndError {
  double mean = 0;
  double standard_error = 0;
};

// Says whether the gain over the pooled model is larger than chance explains. The pooled model has
// the same weights in every context.
struct GainVerdict {
  double lo = 0, hi = 0;  // 95 % interval of the gain: mean ± 1.96 standard errors
  // True if the whole interval is above 0 and the gain is at least 1e-5 per row.
  bool supported = false;
};
GainVerdict judge_gain(const MeanAndError& gain);

struct FitReport;
// Says whether different trade-offs for different contexts are supported. This is the verdict on
// FitReport::context_gain, or on FitReport::gain if the report has no context_gain. Precondition:
// the report has a gain.
GainVerdict judge_contexts(const FitReport& report);

// The mean log-losses on held-out rows, of this model and of the pooled model.
struct HeldOutLosses {
  // The loss of this model. To compute it, each row is predicted by a model that was fitted and
  // chosen without that row.
  double model = 0;
  double pooled = 0;  // the loss of the pooled model on the same rows
};

// One setting of the soft mixture, and its weight in the average of all settings.
struct TriedMixture {
  int experts = 1;
  double gate_penalty = 0;
  double expert_penalty = 0;
  bool learns_relevance = false;  // true if the gate has a learned penalty for each context column
  // True if this setting is not a mixture, but a model whose weights are linear in the context.
  // `experts` is then 1.
  bool linear_weights = false;
  // True if this setting averages the experts' probabilities, and false if it averages their linear
  // predictors. Settings that average probabilities are not part of the average: one of them may be
  // deployed instead of the average, and then it has the weight 1.
  bool mixes_probabilities = false;
  bool same_shares = false;  // true if the shares of the experts are the same in every context
  double log_loss = 0;       // the mean log-loss on held-out rows
  double weight = 0;         // the weight in the average; the weights of all settings sum to 1
};

// Distilling replaces the average of several mixtures by one mixture. This struct holds the error
// that distilling makes, measured on the contexts and the decisions of the log.
struct DistillingLoss {
  // The mixture's error divided by the error of a model that has the same weights in every context:
  // the mean of the average's weights over the contexts. The error of a model is the mean squared
  // difference between its eta and the eta of the average. 0 means that distilling makes no error.
  double relative = 0;
  double rms = 0;  // the root mean squared difference between the mixture's and the average's eta
  // The share of contexts in which the mixture and the average have different best decisions. The
  // best decision is searched for among a sample of the logged decisions.
  double changed_decisions = 0;
};

// This struct says how the soft mixture was chosen. Several settings are averaged with weights that
// are computed from held-out rows. One mixture then approximates this average, and this mixture is
// the model.
struct AveragedSettings {
  std::vector<TriedMixture> tried;
  // The penalties of the baseline and of the experts' common centre. The pooled fit determines both
  // penalties, and all settings use them.
  double baseline_penalty = 0, center_penalty = 0;
  int experts = 1;  // the number of experts of the chosen mixture
  DistillingLoss distilling;
  // The total weight of the posteriors with GateColumns::kFew. Only the estimator bayes sets this
  // field.
  std::optional<double> few_columns_share;
  // The share of contexts in which two divisions of the rows into folds lead to different best
  // decisions: the mean over all pairs of divisions. The seed determines the divisions. The model
  // averages over all divisions, so another seed changes fewer of its decisions. Absent if there
  // was only one division.
  std::optional<double> seed_changes;
};

// This struct says how the setting of a comparison method was chosen. The chosen setting has the
// lowest held-out loss. If the settings are averaged, it has the largest weight.
struct ComparedSettings {
  struct Tried {
    NamedValues setting;
    double log_loss = 0;  // the mean log-loss on held-out rows
    // The weight in the average of the settings. Absent if one setting was picked.
    std::optional<double> weight = {};
  };
  std::vector<Tried> tried;
  // The weight of the pooled model in the average of the settings. Absent if one setting was picked,
  // and for boosted trees, which are not averaged with the pooled model.
  std::optional<double> pooled_weight = {};
  NamedValues chosen;
};

// One of the gates that --gate auto compares.
struct TriedGate {
  GateChoice gate = GateChoice::kLinear;  // never kAuto
  double log_loss = 0;                    // the mean log-loss on held-out rows
};

// This struct says which setting was chosen, and how.
struct ChoiceReport {
  std::variant<AveragedSettings, ComparedSettings> settings;
  std::string why;               // says in words why this setting was chosen
  std::string split;             // says in words how rows were held out
  std::vector<TriedGate> gates;  // the gates that --gate auto tried; otherwise empty
  // The number of rows of the sample on which the setting was chosen. The model itself was fitted
  // to all rows. Absent if the setting was chosen on all rows.
  std::optional<std::size_t> sample_rows = {};
};

// A fit begins at several starts. This struct says how many of these starts lead to about the same
// loss.
struct StartsAgreeing {
  int tried = 0;     // the number of starts
  int agreeing = 0;  // the number of starts that ended within 0.1 % of the lowest loss
};

// Says whether the Markov chains mixed (Gelman et al., Bayesian Data Analysis, 3rd ed., 11.4,
// 11.5).
struct Mixing {
  // Split R-hat. A value of 1 means that the halves of all chains agree. A value above 1.1 means
  // that they do not agree.
  double r_hat = 1;
  // The number of independent draws that would estimate the posterior mean as precisely as the
  // draws of the chains do.
  double effective_sample = 0;
};

// The prior of the gate's slopes, which says how many context columns the gate depends on.
enum class GateColumns {
  // The gate depends a little on every column. The prior of each column's slopes has a standard
  // deviation of its own, which is integrated out.
  kAll,
  // The gate depends on few columns. The prior standard deviation of each column's slopes is set to
  // its most likely value. These standard deviations then differ widely between columns.
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
  // How well the weights w_j(x) in some fixed contexts mixed. 90 % of these weights have an r_hat
  // and an effective_sample that are at least as good as the two numbers stored here.
  Mixing weights;
  std::string warning;  // a sentence if the chains did not mix; otherwise empty
};

// Says how the members of a segment differ from all contexts of the log in one encoded column.
struct ContextContrast {
  std::string column;    // the name of the context column
  std::string level;     // the text level; empty for a number, and for missing values
  bool missing = false;  // true if the encoded column says that the value is missing
  // The next two fields are means of a number column, in the log's own units. For a level or for
  // missing values, they are the share of contexts with this level or with a missing value.
  double members = 0;    // among the members
  double everybody = 0;  // among all contexts of the log
  // members minus everybody, divided by the standard deviation of the column.
  double difference = 0;
};

// Describes the segment of one expert. The members of the segment are the contexts of the log in
// which this expert has the largest share. The profile has the mean weights w(x) of the members. It
// does not have the weights of the expert, which can be more extreme than the weights of any
// context.
struct SegmentProfile {
  double share = 0;    // the mean share of the expert over all contexts; the shares sum to 1
  double members = 0;  // the share of all contexts that are members; these shares sum to 1, too
  // The mean weights of the members, one entry per factor, in the log's own units. Empty if there
  // are no members.
  std::vector<double> weights;
  // The columns in which the members differ most from all contexts, the largest difference first.
  std::vector<ContextContrast> contrasts;

  static constexpr std::size_t kMostContrasts = 5;
};

// An expert with a smaller mean share than this is used by so few contexts that it is not shown.
inline constexpr double kLeastShownShare = 0.005;

struct FitDiagnostics {
  PredictionQuality quality;  // the quality of the predictions on held-out rows
  // How the final model's gate divides contexts among experts. Absent if the model has no gate.
  std::optional<GateUse> gate;
  std::optional<StartsAgreeing> starts;  // absent unless the model is a soft mixture
  // One entry per expert. Empty if the model has no gate, or more than kMostSegments experts.
  std::vector<SegmentProfile> segments = {};
  // The calibration of the predictions on held-out rows. Empty if the version of otss that fitted
  // the model did not record it.
  std::vector<PredictionBin> calibration = {};

  static constexpr int kMostSegments = 12;
};

// One form of the covariance of units' deviations that was tried.
struct TriedDeviations {
  DeviationForm form = DeviationForm::kNone;
  int rank = 0;         // the number of directions in which units differ
  double log_loss = 0;  // the mean log-loss on rows held out within units
};

// The mean log-losses of the model with deviations of units, and of the model without them, on the
// same held-out rows.
struct DeviationLosses {
  double with = 0, without = 0;
};

// Divides the variance of the linear predictor eta, plus the variance of the outcome given eta, over
// the rows of the log. The shares sum to 1. The variance of a 0/1 outcome given eta is pi²/3, that
// of the logistic distribution; of a count it is log(1 + 1 / mean) (Nakagawa & Schielzeth 2013).
struct VariationShares {
  double decision =
      0;               // the linear function of the factors that is closest to the population's eta
  double context = 0;  // the rest of the population's eta: weights and baseline differ by context
  double unit = 0;     // the deviations of units
  double rest = 0;     // the outcome given eta
};

// Says how much units differ from each other, and how this was found. Rows held out within units
// judge the deviations of units; whole units that are held out judge the population.
struct DeviationReport {
  std::size_t units = 0;               // the number of units of the log
  std::vector<TriedDeviations> tried;  // the simplest form first; the first is always kNone
  // The simplest form whose log-loss is within one standard error of the lowest.
  DeviationForm chosen = DeviationForm::kNone;
  // The log-loss without deviations minus the log-loss of the chosen form, on rows held out within
  // units; of the form with the lowest log-loss if kNone was chosen.
  MeanAndError gain;
  // True if a form other than kNone was chosen and judge_gain(gain).supported is true. Only then the
  // model has deviations.
  bool supported = false;
  DeviationLosses known_units;  // on rows held out within units; the mean log-losses
  // On whole units that were held out. Absent if the deviations are not supported.
  std::optional<DeviationLosses> new_units;
  // Absent if the deviations are not supported.
  std::optional<VariationShares> variation;
  // The number of rows, of whole units, that the form was chosen on. All rows if the log is small.
  std::size_t chosen_on_rows = 0;
};

// An optional field of the report is absent if it does not apply, if another program made the
// model, or if the version of otss that fitted the model did not record this field.
struct FitReport {
  // The name and version of the program that fitted the model. Empty if the program is not known.
  std::string software;
  NamedValues options;  // the options of the fit, which `otss fit --from MODEL` uses again
  std::optional<FittedData> data;  // the log that the model was fitted on
  std::optional<ChoiceReport> choice;
  std::optional<HeldOutLosses> held_out;
  // The mean log-loss of the pooled model minus the mean log-loss of this model, on held-out rows.
  std::optional<MeanAndError> gain;
  // Only for models of the method otss that mix probabilities. Such a model can be better than the
  // pooled model although the contexts tell nothing, because rows with the same context may follow
  // different experts. This field is the part of the gain that the contexts explain: the mean
  // log-loss of a model with the same shares in every context, minus the mean log-loss of a model
  // whose shares depend on the context.
  std::optional<MeanAndError> context_gain;
  std::optional<FitDiagnostics> diagnostics;
  // How much units differ. Absent if the model was fitted without units.
  std::optional<DeviationReport> deviations;
  // One entry per sampled posterior. Empty if no posterior was sampled.
  std::vector<ChainsReport> chains;
  // Says why the model has no intervals, or why its intervals are doubtful.
  std::string uncertainty_warning;
  // How far intervals and certificates can be trusted. Fitted widens its intervals by the
  // discrepancy in these checks, and certify() certifies no decision unless they say that the log
  // determines the weights. Absent if one trade-off for everybody was asked for.
  std::optional<WeightChecks> weight_checks;
  // What the checks of the log found, the most severe finding first (find_problems in
  // otss/learn/check.hpp). `otss fit` records the findings; a fit by itself does not check the log.
  // Absent if the log was not checked, and empty if the checks found nothing.
  std::optional<Findings> findings;
};

}  // namespace otss
