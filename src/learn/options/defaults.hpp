// The defaults of fits, each with its reason. They were found by experiment: when you change one,
// record it under "Numbers" in CHANGELOG.md. Grids of a single method are defined in that method.
#pragma once

#include <array>
#include <cstddef>

namespace otss::defaults {

// ---- What is tried

// Numbers of experts. The average over them covers the values between, and no log we know
// distinguishes more than five trade-offs (docs/method.md).
inline constexpr std::array<int, 3> kExperts{2, 3, 5};

// Folds of cross-validation. Each fit uses four fifths of the rows; more folds would use more rows
// but take longer.
inline constexpr int kFolds = 5;

// Share of the rows held out when there is one split instead of folds: the same as one of five
// folds.
inline constexpr double kHeldOutShare = 0.2;

// Most columns of a quadratic gate that --gate auto tries: with more, logs have too little
// information about its parameters.
inline constexpr std::size_t kMostQuadraticColumns = 300;

// ---- Numbers of rows

// Up to this many rows the automatic estimator samples the posterior; with more, the average of
// penalised fits is as good and much faster (docs/adr/0004).
inline constexpr std::size_t kMostSampledRows = 10'000;

// Up to this many rows settings are compared on all of them; with more, penalties are compared on a
// subsample of this size (they matter little then), and only K on all rows.
inline constexpr std::size_t kSelectionRows = 20'000;

// With more rows than this, a fit starts from the fit of a subsample and is preconditioned by its
// Gauss–Newton matrix. With fewer, plain L-BFGS is as fast.
inline constexpr std::size_t kDirectFitRows = 60'000;

// Size of that subsample: its optimum lies within the sampling error of the optimum of all rows.
inline constexpr std::size_t kSubsampleRows = 8192;
inline constexpr std::size_t kSubsampleRowsPerParameter = 50;

// Rows from which the penalties of the pooled fit are estimated: with more, they hardly change.
inline constexpr std::size_t kStrengthRows = 50'000;

// Rows from which the metric of the sampler is computed: it need not be exact.
inline constexpr std::size_t kMetricRows = 20'000;

// ---- Settings of the soft mixture that the estimator map averages (docs/adr/0002)

// Prior standard deviations, in standardised units: of the gate scores, for the setting with a
// common ridge on all context columns; and of the difference between an expert's linear predictor
// and the centre's, for the settings that learn a strength per column.
inline constexpr double kGateScale = 0.5;
inline constexpr std::array<double, 2> kExpertScales{2.5, 1};

// A setting is not fitted to all rows if its weight is less than this share of the largest weight.
inline constexpr double kNegligibleWeight = 0.01;

// Strength of the pull of the settings' weights towards equal weights: the factor of the relative
// entropy that is added to the summed loss. Without it, noise would decide between settings of
// nearly equal loss.
inline constexpr double kSettingsPullRows = 1;

// ---- Posteriors and their average (docs/adr/0004)

inline constexpr int kChains = 2;
inline constexpr int kBurnIn = 120;
inline constexpr int kDraws = 160;  // per chain; four times as many gave the same regret
inline constexpr int kSamplerStarts = 4;

// Draws of one posterior that the average keeps: the draws of a chain are correlated, so more would
// add little.
inline constexpr std::size_t kMostMembers = 100;

// Strength of the pull of the posteriors' weights (see kSettingsPullRows) towards their prior
// weights. Prior weight of a K-expert model: proportional to K, because a posterior with too many
// experts shrinks by itself but one with too few cannot fit. Prior weight of the pooled model:
// kPooledShare of the sum of the others.
inline constexpr double kPosteriorsPullRows = 4;
inline constexpr double kPooledShare = 0.25;

// The next three are gains over the pooled model, in standard errors. As the gain grows from 0 to
// kGainAgainstPooled, the weight of the pooled model falls to 0: the posteriors already shrink
// towards it.
inline constexpr double kGainAgainstPooled = 1;
// As the gain grows from kGainAgainstPooled to kGainForFewColumns, the share of the posteriors with
// the few-columns prior grows from 0 to kMostFewColumnsShare. Held-out rows cannot choose this
// share, because that prior learned its column strengths from all rows.
inline constexpr double kGainForFewColumns = 3;
inline constexpr double kMostFewColumnsShare = 0.65;
// Above kGainForPenalisedFits, penalised fits get kPenalisedFitsShare of the average: their errors
// are then about as large as those of the posteriors, but differ from them, so that the average of
// both has a smaller error.
inline constexpr double kGainForPenalisedFits = 6;
inline constexpr double kPenalisedFitsShare = 0.5;

// ---- What is deployed

// Distilling takes the smallest number of experts whose relative loss is at most this: the share of
// the heterogeneity's variance of eta that is lost. 2 % changes few decisions (docs/adr/0002).
inline constexpr double kDistillingLoss = 0.02;

// Members of an average that --deploy mean keeps: more do not change the third digit of a weight.
inline constexpr std::size_t kDeployedMembers = 100;

}  // namespace otss::defaults
