// The defaults of fits, each with its reason. The values were found by experiment: when you change
// a default, record the change under "Numbers" in CHANGELOG.md. A grid that only one method uses is
// defined in that method's file.
#pragma once

#include <array>
#include <cstddef>

namespace otss::defaults {

// ---- What is tried

// Numbers of experts to try. The average of models with 3 and 5 experts also covers 4 experts, and
// no log we know distinguishes more than five trade-offs (docs/method.md).
inline constexpr std::array<int, 3> kExperts{2, 3, 5};

// Number of folds of cross-validation. With five folds each fit uses four fifths of the rows; with
// more folds it would use more rows but take longer.
inline constexpr int kFolds = 5;

// Share of the rows held out when there is one split instead of folds. It is the share of one fold
// of five.
inline constexpr double kHeldOutShare = 0.2;

// Largest number of columns of a quadratic gate that --gate auto tries. With more columns, logs
// have too little information about the gate's parameters.
inline constexpr std::size_t kMostQuadraticColumns = 300;

// Largest number of encoded columns (contexts and factors) of a log. Every fit factorises matrices of
// this size, which takes a time that grows with the cube of it.
inline constexpr int kMostColumns = 2'000;

// ---- Numbers of rows

// Up to this many rows `--estimator auto` samples the posterior; with more rows, the average of
// penalised fits is as good and much faster (docs/adr/0004).
inline constexpr std::size_t kMostSampledRows = 10'000;

// Up to this many rows, settings are compared on all rows. With more rows, penalties are compared
// on a subsample of this size, because they matter little in large logs; only the values of K are
// compared on all rows.
inline constexpr std::size_t kSelectionRows = 20'000;

// With more rows than this, a subsample is fitted first; the fit on all rows starts from its
// optimum and is preconditioned by its Gauss–Newton matrix. With fewer rows, plain L-BFGS is as
// fast.
inline constexpr std::size_t kDirectFitRows = 60'000;

// Size of the subsample that is fitted first, in rows and in rows per parameter (the larger of the
// two counts). The optimum of the subsample lies within the sampling error of the optimum of all
// rows.
inline constexpr std::size_t kSubsampleRows = 8192;
inline constexpr std::size_t kSubsampleRowsPerParameter = 50;

// Number of rows from which the penalties of the pooled fit are estimated. With more rows, the
// penalties would hardly change.
inline constexpr std::size_t kStrengthRows = 50'000;

// Number of rows from which the metric of the sampler is computed; the metric need not be exact.
inline constexpr std::size_t kMetricRows = 20'000;

// ---- Settings of the soft mixture that the estimator map averages (docs/adr/0002)

// Prior standard deviations in standardised units. kGateScale: of the gate scores, for the setting
// with a common ridge on all context columns. kExpertScales: of the difference between an expert's
// linear predictor and the linear predictor of the experts' centre, for the settings that learn a
// strength per column.
inline constexpr double kGateScale = 0.5;
inline constexpr std::array<double, 2> kExpertScales{2.5, 1};

// A setting is not fitted to all rows if its weight is less than this share of the largest weight.
inline constexpr double kNegligibleWeight = 0.01;

// Strength of the pull of the settings' weights towards equal weights: the factor of the relative
// entropy that is added to the summed loss. Without this pull, noise would decide between settings
// of nearly equal loss.
inline constexpr double kSettingsPullRows = 1;

// ---- Posteriors and their average (docs/adr/0004)

inline constexpr int kChains = 2;
inline constexpr int kBurnIn = 120;
// Per chain; with four times as many draws the regret was the same.
inline constexpr int kDraws = 160;
inline constexpr int kSamplerStarts = 4;

// Number of draws of one posterior that the average keeps. The draws of a chain are correlated, so
// more draws would add little.
inline constexpr std::size_t kMostMembers = 100;

// Strength of the pull of the posteriors' weights (see kSettingsPullRows) towards their prior
// weights. The prior weight of a model with K experts is proportional to K, because a posterior
// with too many experts shrinks by itself but a posterior with too few experts cannot fit. The
// prior weight of the pooled model is kPooledShare times the sum of the prior weights of the other
// models.
inline constexpr double kPosteriorsPullRows = 4;
inline constexpr double kPooledShare = 0.25;

// kGainAgainstPooled, kGainForFewColumns and kGainForPenalisedFits are gains over the pooled model,
// in standard errors. As the gain grows from 0 to kGainAgainstPooled, the weight of the pooled
// model falls to 0, because the posteriors of the mixtures already shrink towards the pooled model.
inline constexpr double kGainAgainstPooled = 1;
// As the gain grows from kGainAgainstPooled to kGainForFewColumns, the share of the posteriors with
// the few-columns prior grows from 0 to kMostFewColumnsShare. Held-out rows cannot choose this
// share, because that prior learned its column strengths from all rows.
inline constexpr double kGainForFewColumns = 3;
inline constexpr double kMostFewColumnsShare = 0.65;
// If the gain is above kGainForPenalisedFits, penalised fits get kPenalisedFitsShare of the weight
// of the average. Their errors are then about as large as the errors of the posteriors, but
// different, so that the average of fits and posteriors has a smaller error.
inline constexpr double kGainForPenalisedFits = 6;
inline constexpr double kPenalisedFitsShare = 0.5;

// ---- What is deployed

// Distilling takes the smallest number of experts whose relative loss is at most this. The relative
// loss is the share of the variance of eta due to heterogeneity that distilling loses. A loss of 2
// % changes few decisions (docs/adr/0002).
inline constexpr double kDistillingLoss = 0.02;

// Number of members of an average that --deploy mean keeps. More members would not change the third
// digit of a weight.
inline constexpr std::size_t kDeployedMembers = 100;

}  // namespace otss::defaults
