// Facts are the numbers that a report shows, one struct per section of the page. facts_json.hpp
// writes them as JSON, docs/reference/facts.md explains each field for users, and web/src/facts.ts
// has the same types in TypeScript. A number that is not known is NaN here, and null in the JSON.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/data/finding.hpp"
#include "otss/decide/evaluate.hpp"
#include "otss/model/diagnostics.hpp"
#include "otss/model/fit_report.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

inline constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

// The confidence of the intervals in a report, if no other is stated.
inline constexpr double kReportLevel = 0.9;

// A number and its interval. The ends are NaN if the interval is not known.
struct Estimate {
  double value = kNotKnown;
  double lo = kNotKnown, hi = kNotKnown;
};

// Says what numbers are computed from: the LOG of the report, or what the model file keeps of the
// log that the model was fitted on.
enum class FactSource { kLog, kTraining };

constexpr auto word_table(FactSource) {
  return std::to_array<WordOf<FactSource>>(
      {{FactSource::kLog, "log"}, {FactSource::kTraining, "training"}});
}

// What the standard deviation of a factor is computed over.
enum class SpreadOver { kLibrary, kCandidates, kLog };

constexpr auto word_table(SpreadOver) {
  return std::to_array<WordOf<SpreadOver>>({{SpreadOver::kLibrary, "library"},
                                            {SpreadOver::kCandidates, "candidates"},
                                            {SpreadOver::kLog, "log"}});
}

struct FeasibleFacts {
  bool is_library = true;
  std::string name;           // the name of the file
  std::size_t decisions = 0;  // the number of rows of the table
  std::size_t contexts = 1;   // the number of contexts that have candidates; 1 for a library
};

struct AboutFacts {
  std::string model;                       // the name of the model file
  std::optional<std::string> log;          // the name of LOG
  std::optional<std::size_t> log_rows;     // the number of rows of LOG
  std::optional<std::size_t> sample_rows;  // the size of the random sample of LOG
  std::optional<FeasibleFacts> feasible;
  std::string no_intervals_because;  // a sentence; empty if the weights have intervals
};

struct FactorFacts {
  double sd = 1;  // the weight times this number is comparable between factors
  SpreadOver sd_over = SpreadOver::kLog;
  double log_sd = 1;      // the standard deviation in the training log
  double importance = 0;  // the mean over contexts of |weight| × sd
};

// Says what the values of a context column are like.
struct ColumnFacts {
  FactSource source = FactSource::kTraining;
  std::optional<ValueRange> range;
  // The quantiles of the numbers at kQuantileProbabilities. Empty for text, and without LOG.
  std::vector<double> quantiles;
};

inline constexpr double kQuantileProbabilities[] = {0, .05, .1, .25, .5, .75, .9, .95, 1};

// ---- 1. The answer

struct CertifiedShare {
  double level = kReportLevel;
  double share = 0;
};

struct AnswerFacts {
  int experts_in_use = 0;                   // experts with a share of at least kLeastShownShare
  double effective_experts = kNotKnown;     // exp(entropy of the mean shares)
  std::optional<EvaluatedPolicy> policy;    // what the model's decisions are worth
  std::optional<CertifiedShare> certified;  // the share of decisions that are certainly the best
};

// ---- 2. What each segment wants

struct SegmentFacts {
  int expert = 0;      // the expert's number, counted from 0
  double share = 0;    // the mean share of the expert
  double members = 0;  // the share of contexts in which this expert has the largest share
  std::vector<Estimate> weights;  // J mean weights of the members; empty if there are no members
};

struct SegmentsFacts {
  FactSource source = FactSource::kTraining;
  std::vector<Estimate> average;   // J mean weights over all contexts
  std::vector<SegmentFacts> list;  // the largest share first, at most FitDiagnostics::kMostSegments
  int in_use = 0;    // the number of experts with a share of at least kLeastShownShare
  int left_out = 0;  // the number of experts that are not in the list
};

// ---- 3. Who they are

// Names an encoded column: a number, a level, or the indicator of a missing value.
struct ColumnValue {
  std::size_t column = 0;  // position among the context columns
  std::optional<std::size_t> level = {};
  bool missing = false;
};

// The average change of an expert's share if one column changes and the other columns stay as they
// are. A number grows by one standard deviation. A text becomes the level, whatever it was.
struct EffectFacts {
  ColumnValue value;
  Estimate change;
};

struct ContrastFacts {
  ColumnValue value;
  double members = 0, everybody = 0;  // means of the number, or shares with the level
  double difference = 0;              // in standard deviations
};

struct SegmentMembershipFacts {
  int expert = 0;
  std::vector<EffectFacts> effects;      // the strongest first, at most kMostEffects
  std::vector<ContrastFacts> contrasts;  // the largest difference first

  static constexpr std::size_t kMostEffects = 40, kMostContrasts = 20;
};

// A histogram of one context column. A number column has `edges`, a text column has `levels`.
struct DistributionFacts {
  std::size_t column = 0;
  std::vector<double> edges;        // n + 1 edges of n bins; outer bins include what lies outside
  std::vector<std::size_t> levels;  // the levels of the bins
  bool other = false;               // true if one more bin has all other levels
  std::vector<double> everybody;    // one share per bin
  double everybody_missing = 0;
  std::vector<std::vector<double>> members;  // one row per segment of SegmentsFacts::list
  std::vector<double> members_missing;
};

struct MembershipFacts {
  FactSource source = FactSource::kTraining;
  std::size_t sample_rows = 0;  // the number of contexts over which changes are averaged
  std::size_t band_rows = 0;    // the number of contexts from which intervals are computed
  std::vector<SegmentMembershipFacts> segments = {};  // in the order of SegmentsFacts::list
  std::vector<DistributionFacts> distributions = {};  // the most telling column first

  static constexpr std::size_t kMostDistributions = 12;
};

// ---- 4. How weights move

// The mean weights and shares along one context column, the other columns as they are.
struct MovementFacts {
  std::size_t column = 0;
  std::vector<double> at;           // the values of a number column
  std::vector<std::size_t> levels;  // the levels of a text column
  // The next three have J rows, each with one entry per value; lo and hi are empty if the weights
  // have no intervals.
  std::vector<std::vector<double>> weights, lo, hi;
  std::vector<std::vector<double>> shares;  // one row per segment of SegmentsFacts::list
  // J numbers: the standard deviation of the mean weight over the column's values × FactorFacts::sd.
  std::vector<double> strength;
};

struct StrongPair {
  std::size_t factor = 0, column = 0;
  double strength = 0;
};

struct MovementsFacts {
  FactSource source = FactSource::kTraining;
  std::size_t sample_rows = 0, band_rows = 0;
  std::vector<MovementFacts> columns;  // the strongest first
  std::vector<StrongPair> strongest;   // the strongest first, at most kMostPairs
  std::vector<std::size_t>
      left_out;  // columns without a curve, because the file would be too large

  static constexpr std::size_t kMostPairs = 24;
};

// ---- 5. What if (the writer takes the maps from the Fitted)

// A raw value of a context column. std::monostate means missing.
using TypicalValue = std::variant<std::monostate, double, std::string>;

struct LibraryFacts {
  std::vector<std::string> ids;
  std::vector<double> factors;  // decisions × J
  std::size_t total = 0;        // the number of decisions of the whole library
};

struct WhatIfFacts {
  std::vector<TypicalValue> typical;  // one value per context column
  std::optional<LibraryFacts> library;
};

// ---- 6. Decisions

struct DecisionShareFacts {
  std::string id;
  double chosen = 0;          // the share of contexts in which the model chooses the decision
  double logged = kNotKnown;  // the share of rows in which the decision was logged
};

struct DecisionsFacts {
  std::size_t rows = 0;            // the contexts of the log
  std::size_t rows_certified = 0;  // the contexts that were certified
  double level = kReportLevel;
  bool per_context = false;              // true for candidates
  bool logged_known = false;             // true if the logged decision of each row is known
  std::vector<DecisionShareFacts> list;  // the most chosen first, at most kMostListed
  std::optional<DecisionShareFacts> others;
  std::size_t distinct = 0;                   // the number of different ids
  std::size_t chosen_distinct = 0;            // how many of them are chosen in some context
  std::size_t never_chosen = 0;               // how many are chosen in no context
  std::vector<std::string> never_chosen_ids;  // some of them, at most kMostNeverChosen
  double agreement = kNotKnown;               // the share of rows whose best decision was logged
  std::vector<CertifiedShare> curve;          // empty if the weights have no intervals
  double expected_regret = kNotKnown;         // the mean over contexts, in units of the score
  double regret_bound = kNotKnown;            // the mean bound at `level`
  std::vector<double> margin_quantiles;       // at kQuantileProbabilities; may be empty

  static constexpr std::size_t kMostListed = 200;
  static constexpr std::size_t kMostNeverChosen = 50;
};

// ---- 7. Can I trust it?

struct QualityFacts {
  std::optional<std::size_t> rows;
  Estimate log_loss, squared_error, auc, explained, calibration_slope;
};

struct CalibrationBin {
  double predicted = 0;  // the mean predicted outcome
  Estimate observed;     // the mean observed outcome
  std::size_t rows = 0;
};

struct CalibrationFacts {
  std::size_t rows = 0;
  bool held_out = false;  // true for the held-out rows of the fit, false for the rows of LOG
  std::vector<CalibrationBin> bins;  // the lowest prediction first
};

struct TriedFacts {
  std::string words;  // such as "3 experts"
  double log_loss = 0;
  double weight = kNotKnown;  // the weight in the average of the settings
  bool chosen = false;
};

struct ComparedFacts {
  std::string method;
  double log_loss = 0;
  Estimate difference;  // the log-loss of this method minus the log-loss of the reference
  double seconds = kNotKnown;
};

struct ComparisonFacts {
  std::optional<std::size_t> rows;  // the number of test rows
  int repeats = 1;
  std::string verdict;
  std::string reference = "otss";
  std::vector<ComparedFacts> methods;
};

struct GateUseFacts {
  FactSource source = FactSource::kTraining;
  std::vector<double> top_share;  // kTopShareBins shares of contexts; empty without LOG
  GateUse use;

  static constexpr std::size_t kTopShareBins = 20;
};

struct UnitsFacts {
  std::vector<double> weight_sd;          // J standard deviations of units' weights; may be empty
  std::optional<std::size_t> known_rows;  // rows of LOG whose unit has a history
};

struct TrustFacts {
  std::optional<QualityFacts> held_out;  // from the fit
  std::optional<QualityFacts> on_log;
  bool in_sample = false;  // true if LOG is the table that the model was fitted on
  std::optional<CalibrationFacts> calibration;
  std::vector<TriedFacts> tried;
  std::optional<ComparisonFacts> comparison;
  std::optional<GateUseFacts> gate;
  std::optional<Findings> findings;     // absent if the model file does not have them
  std::optional<UnknownCounts> unseen;  // values of LOG that training did not have
  std::vector<std::string> warnings;    // whole sentences
  std::optional<UnitsFacts> units;      // present if the FitReport has deviations
};

// ---- 8. Where it comes from

struct NamedText {
  std::string name, text;
};

struct RoleFacts {
  std::string role;
  std::vector<std::string> columns;
};

struct OriginFacts {
  std::string checksum;            // of the model file; empty if the model is not from a file
  std::vector<NamedText> options;  // the options of the fit
  std::vector<RoleFacts> roles;
  std::vector<NamedText> commands;  // a purpose and the command
};

struct Facts {
  Fitted fitted;  // names, maps, uncertainty and FitReport are written from here
  AboutFacts about;
  std::vector<FactorFacts> factors;
  std::vector<ColumnFacts> columns;
  AnswerFacts answer;
  SegmentsFacts segments;
  std::optional<MembershipFacts> membership;
  std::optional<MovementsFacts> movements;
  std::optional<WhatIfFacts> what_if;
  std::optional<DecisionsFacts> decisions;
  TrustFacts trust;
  OriginFacts origin;
};

}  // namespace otss::internal
