// What a fit does where nothing is asked for, each with its reason. Found by experiment: change one
// here, and say so under "Numbers" in CHANGELOG.md. Grids of a single method stand with the method.
#pragma once

#include <array>
#include <cstddef>

namespace otss::defaults {

// ---- What is tried

// Numbers of experts. Averaging fills the gaps between them, and with more than five the rows of the
// logs we know tell no more trade-offs apart (docs/method.md).
inline constexpr std::array<int, 3> kExperts{2, 3, 5};

// Folds of cross-validation: four fifths of the rows train each fit, as near to all of them as is
// affordable.
inline constexpr int kFolds = 5;

// Share of the rows held out where there is one split instead of folds: as one fold of five.
inline constexpr double kHeldOutShare = 0.2;

// With more columns a quadratic gate has more parameters than a log has to say about them.
inline constexpr std::size_t kMostQuadraticColumns = 300;

// ---- How many rows are looked at

// Up to so many rows the automatic estimator samples the posterior; with more, the average of
// penalised fits is as good and takes a fraction of the time (docs/adr/0004).
inline constexpr std::size_t kMostSampledRows = 10'000;

// Up to so many rows settings are compared on all of them; with more, on so many: the penalties
// matter little then, and only K does.
inline constexpr std::size_t kSelectionRows = 20'000;

// From so many rows on, one fit goes through a subsample: a fit of it and its Gauss–Newton matrix
// precondition the passes over all rows. Below, plain L-BFGS is as fast.
inline constexpr std::size_t kDirectFitRows = 60'000;

// That subsample: enough for its optimum to lie within the sampling error of that of all rows.
inline constexpr std::size_t kSubsampleRows = 8192;
inline constexpr std::size_t kSubsampleRowsPerParameter = 50;

// Rows that the pooled fit's penalties are estimated from: with more, they no longer matter.
inline constexpr std::size_t kStrengthRows = 50'000;

// Rows that the metric of a sampler is made from: it need not be exact.
inline constexpr std::size_t kMetricRows = 20'000;

// ---- Settings of the soft mixture that are averaged (docs/adr/0002)

// Prior standard deviations of the gate's logits (over all columns) where a ridge is on all of
// them, and of an expert's departure from the centre (over all factors) where the gate learns which
// columns matter; in standardised units.
inline constexpr double kGateScale = 0.5;
inline constexpr std::array<double, 2> kExpertScales{2.5, 1};

// A setting with less weight than this, of the heaviest one's, is not worth a fit of all rows.
inline constexpr double kNegligibleWeight = 0.01;

// Pull of their weights towards equal ones, in rows' worth of relative entropy: without any, ties
// between near-equal settings are broken by noise.
inline constexpr double kSettingsPullRows = 1;

// ---- Posteriors and their average (docs/adr/0004)

inline constexpr int kChains = 2;
inline constexpr int kBurnIn = 120;
inline constexpr int kDraws = 160;  // of each chain; four times as many gave the same regret
inline constexpr int kSamplerStarts = 4;

// Draws of one posterior that the average keeps: draws of a chain resemble each other.
inline constexpr std::size_t kMostMembers = 100;

// Pull of the posteriors' weights, in rows' worth of relative entropy, towards weights in
// proportion to K, with one trade-off for everybody at this share of all of them: a posterior of
// many experts shrinks by itself, one of too few cannot grow.
inline constexpr double kPosteriorsPullRows = 4;
inline constexpr double kPooledShare = 0.25;

// Gains over one trade-off for everybody, in standard errors. From none to the first the pooled
// model loses its weight, since the posteriors already shrink towards it.
inline constexpr double kGainAgainstPooled = 1;
// From the first to the second the posteriors that believe in few columns get their share: left-out
// rows cannot judge that belief, which has chosen its columns by all of them.
inline constexpr double kGainForFewColumns = 3;
inline constexpr double kMostFewColumnsShare = 0.65;
// Above this one, penalised fits take their share of the average: the error of the posteriors and
// theirs are then about equal and not the same, and half of each has less than either.
inline constexpr double kGainForPenalisedFits = 6;
inline constexpr double kPenalisedFitsShare = 0.5;

// ---- What is deployed

// The fewest experts are taken that lose at most this much of the variation of the logits that
// heterogeneity explains: 2 % changes few decisions (docs/adr/0002).
inline constexpr double kDistillingLoss = 0.02;

// Members kept of an average that is deployed as it is: more change no weight's third digit.
inline constexpr std::size_t kDeployedMembers = 100;

}  // namespace otss::defaults
