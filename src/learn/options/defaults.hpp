// Defines the defaults of fits, each with its reason. The values were found by experiment: when you
// change a default, record the change under "Numbers" in CHANGELOG.md. A grid of settings that only
// one method uses is defined in that method's file.
#pragma once

#include <array>
#include <cstddef>

namespace otss::internal::defaults {

// ---- Defaults of what is tried

// Numbers of experts that are always tried. 4 is not tried, because the average of models with 3
// and 5 experts covers it. Larger numbers are tried only if 5 experts predict better than 3
// (kMostExperts).
inline constexpr std::array<int, 3> kExperts{2, 3, 5};

// After the numbers in kExperts, the sum of the two largest K may be tried (8, 13, 21), up to
// kMostExperts. The sum is tried if the largest K predicts held-out rows better than the second
// largest by more than a standard error. A mixture with so many experts must also have at least
// kRowsPerParameter rows per parameter.
inline constexpr int kMostExperts = 34;
inline constexpr std::size_t kRowsPerParameter = 10;

// With more encoded context columns than this, the gate has one common strength and no posterior is
// sampled: learning a strength per column and sampling would take minutes. Logs with so many
// encoded columns have text columns with many levels.
inline constexpr int kManyColumns = 64;

// The rows are divided into folds this many times, and the weights of the settings are averaged
// over these divisions. With three divisions, another seed changes only one to three in a hundred
// decisions (docs/adr/0014).
inline constexpr int kRepeats = 3;

// Number of folds of cross-validation. With five folds each fit uses four fifths of the rows. With
// more folds each fit would use more rows, but all fits together would take longer.
inline constexpr int kFolds = 5;

// Share of the rows that is held out when there is one split instead of folds. Each of five folds
// holds out the same share.
inline constexpr double kHeldOutShare = 0.2;

// --gate auto tries a quadratic gate only if the gate has at most this many columns. With more
// columns, a log has too little information about the gate's parameters.
inline constexpr std::size_t kMostQuadraticColumns = 300;

// Largest number of encoded columns (contexts and factors) of a log. The time of a fit grows with
// the cube of this number, because every fit factorises matrices of this size.
inline constexpr int kMostColumns = 2'000;

// ---- Defaults that are numbers of rows

// Up to this many rows, `--estimator auto` samples the posterior. With more rows, the average of
// penalised fits is as good and much faster (docs/adr/0004).
inline constexpr std::size_t kMostSampledRows = 10'000;

// Up to this many rows, settings are compared on all rows. With more rows, penalties are compared
// on a subsample of this size, because penalties matter little in large logs; only the values of K
// are compared on all rows.
inline constexpr std::size_t kSelectionRows = 20'000;

// A log with more rows than this is large: the settings are chosen on a sample of its rows, and one
// model is then fitted to all rows (docs/adr/0019).
inline constexpr std::size_t kLargeLogRows = 100'000;
// The sample has this share of kLargeLogRows, so that a second sample of the same size, which judges
// the choice, always exists. If the largest mixture that is always tried has many parameters, the
// sample has kSubsampleRowsPerParameter rows for each of them instead, but at most this share of
// the log.
inline constexpr double kSampleShare = 0.5;
// This share of the sample's rows is held out when settings are compared. A large log has enough
// rows for one split, which takes a fifth of the time of five folds.
inline constexpr double kSampleHeldOutShare = 0.4;
// Number of starting points for each K on the sample. A large log has enough rows for many experts,
// and with seven or more experts one start in four ends in a poor local optimum.
inline constexpr int kSampleStarts = 3;
// A sample has at least this many groups, because few groups do not represent the others.
inline constexpr std::size_t kFewestSampledGroups = 30;

// With more rows than this, a subsample is fitted first; the fit on all rows starts from the
// subsample's optimum and is preconditioned by the subsample's Gauss–Newton matrix. With fewer
// rows, plain L-BFGS is as fast.
inline constexpr std::size_t kDirectFitRows = 60'000;

// Size of the subsample that is fitted first: kSubsampleRows, or kSubsampleRowsPerParameter for
// each parameter, whichever is more. The optimum of such a subsample is close to the optimum of all
// rows, up to sampling error.
inline constexpr std::size_t kSubsampleRows = 8192;
inline constexpr std::size_t kSubsampleRowsPerParameter = 50;

// The penalties of the pooled fit are estimated from at most this many rows. With more rows, the
// penalties would hardly change.
inline constexpr std::size_t kStrengthRows = 50'000;

// The metric of the sampler (the matrix L L' of leapfrog.hpp) need not be exact, so it is computed from
// at most this many rows.
inline constexpr std::size_t kMetricRows = 20'000;

// ---- Settings of the soft mixture that the estimator map averages (docs/adr/0002)

// Prior standard deviations in standardised units. kGateScale is that of the gate scores; the
// setting with a common ridge on all context columns uses it. kExpertScales are those of the
// difference between an expert's linear predictor and that of the experts' centre; the settings
// that learn a strength per column use them.
inline constexpr double kGateScale = 0.5;
// If strengths per column cannot be learned (kManyColumns), a second setting with a common ridge
// has this standard deviation of the gate scores.
inline constexpr double kWideGateScale = 2;
inline constexpr std::array<double, 2> kExpertScales{2.5, 1};

// Where the gain over the pooled model is not clear (kGainForPenalisedFits), strengths per column cannot
// be learned. The settings then have a common ridge: every pair of these prior standard deviations,
// of the gate scores and of the experts' differences from their centre. The method em has the same
// pairs. The order is from weak to strong penalties (cross_validation.hpp).
inline constexpr std::array<double, 4> kRidgeGateScales{4, 2, 1, 0.5};
inline constexpr std::array<double, 4> kRidgeExpertScales{3.2, 1.6, 0.8, 0.4};

// A setting whose weight is less than this share of the largest weight is not fitted to all rows.
inline constexpr double kNegligibleWeight = 0.01;
// The same on the sample of a large log, whose average only decides how many experts are fitted to all
// rows.
inline constexpr double kNegligibleOnSample = 0.1;

// Strength of the pull of the settings' weights towards equal weights, in rows. The relative
// entropy of the weights is multiplied by this number and added to the summed loss. Without this
// pull, noise would decide between settings of nearly equal loss.
inline constexpr double kSettingsPullRows = 1;

// A mixture of probabilities is deployed instead of the average of soft mixtures if its held-out
// loss is lower by more than this many standard errors (docs/adr/0031), as every other choice of a
// less simple model.
inline constexpr double kProbabilitiesLead = 1;

// ---- Defaults of the posteriors and of their average (docs/adr/0004)

inline constexpr int kChains = 2;
inline constexpr int kBurnIn = 120;
// Number of draws per chain. Four times as many draws did not lower the regret.
inline constexpr int kDraws = 160;
inline constexpr int kSamplerStarts = 4;

// The average keeps at most this many draws of one posterior. The draws of a chain are correlated,
// so more draws would add little.
inline constexpr std::size_t kMostMembers = 100;

// Strength of the pull of the posteriors' weights towards their prior weights, in rows (see
// kSettingsPullRows). The prior weight of a model with K experts is proportional to K. Large K are
// favoured because a posterior with too many experts shrinks by itself, but a posterior with too
// few experts cannot fit. The prior weight of the pooled model is kPooledShare times the summed
// prior weight of all other models.
inline constexpr double kPosteriorsPullRows = 4;
inline constexpr double kPooledShare = 0.25;
// The prior weight of the model whose weights are linear in the context. It equals the prior weight
// of the simplest mixture, which has two experts.
inline constexpr double kSmoothPriorWeight = 2;

// kGainAgainstPooled, kGainForFewColumns and kGainForPenalisedFits are gains over the pooled model,
// in standard errors. As the gain grows from 0 to kGainAgainstPooled, the weight of the pooled
// model falls to 0. This weight is not needed then, because the posteriors of the mixtures already
// shrink towards the pooled model.
inline constexpr double kGainAgainstPooled = 1;
// As the gain grows from kGainAgainstPooled to kGainForFewColumns, the share of the posteriors with
// the few-columns prior grows from 0 to kMostFewColumnsShare. Held-out rows cannot choose this
// share, because the few-columns prior learned its column strengths from all rows.
inline constexpr double kGainForFewColumns = 3;
inline constexpr double kMostFewColumnsShare = 0.65;
// Penalised fits get kPenalisedFitsShare of the average's weight. Their errors are about as large as those
// of the posteriors, but different, so that the average of both has a smaller error. If the gain is above
// kGainForPenalisedFits, they learn relevances, else they have common ridges (docs/adr/0059), and are
// fitted for the K whose posterior has at least kNegligibleBesideDraws of the largest weight of a
// posterior.
inline constexpr double kPenalisedFitsShare = 0.5;
inline constexpr double kGainForPenalisedFits = 6;
inline constexpr double kNegligibleBesideDraws = 0.1;

// ---- Defaults of what is deployed

// Distilling takes the smallest number of experts whose relative loss is at most this much above the
// loss that more experts reach. Heterogeneity explains a part of the variance of eta; the relative
// loss is the share of this part that distilling loses. With 0.02, one decision in ten changed where
// the true weights are linear in the context (docs/adr/0047).
inline constexpr double kDistillingLoss = 0.005;

// If the gain over the pooled model is not supported, this limit replaces kDistillingLoss. Distilling
// then takes the smallest number of experts that changes at most this share of the decisions.
inline constexpr double kUnprovenChanges = 0.01;

// If the average contains weights that are linear in the context, it may be distilled into these
// numbers of experts. Its mixtures may have fewer experts, but many experts are needed to
// approximate weights that are linear in several columns.
inline constexpr std::array<int, 2> kSmoothExperts{8, 13};

// `--deploy mean` keeps this many members of an average. More members would not change the third
// digit of a weight.
inline constexpr std::size_t kDeployedMembers = 100;

}  // namespace otss::internal::defaults
