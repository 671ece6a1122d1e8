#include "learn/probabilities/probability_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "engine/linear_predictors.hpp"
#include "learn/averaging/honest_choice.hpp"
#include "learn/averaging/selection.hpp"
#include "learn/probabilities/routed_fit.hpp"
#include "learn/probabilities/taste_start.hpp"

namespace otss::internal {
namespace {

constexpr double kNotPredicted = std::numeric_limits<double>::quiet_NaN();

// The strength of the gate's slopes, in rows, that makes the shares equal in every context.
constexpr double kSameSharesStrength = 1e8;
// A fit stops when an iteration lowers the summed loss by less than this, in nats. The summed losses
// of different settings differ by far more. A fit that is deployed is more precise.
constexpr double kRoughProbabilityGain = 0.05;
constexpr double kPreciseGain = 1e-4;
// The prior standard deviation of the difference between an expert's linear predictor and that of the
// experts' centre. It is wide, because people with equal contexts can want opposite things, and a
// narrow prior would pull their experts together.
constexpr double kTasteScale = 10;
// The number of experts with which the first test is made: enough for most kinds of variation.
constexpr int kTestedExperts = 3;

// Returns the settings of one K in the order in which they are fitted; each fit starts from the
// optimum of the previous setting. Equal shares come first, then shares that depend on the context,
// from a weak to a strong penalty.
std::vector<ProbabilitySetting> path_of(const Problem& problem, const Penalty& pooled,
                                        int experts) {
  Penalty penalty = pooled;
  penalty.expert = problem.num_factors() / (kTasteScale * kTasteScale);
  penalty.gate = kSameSharesStrength;
  std::vector<ProbabilitySetting> path{{experts, true, penalty}};
  if (problem.num_contexts == 0) return path;
  const double variance = summed_context_variance(problem);
  for (const double scale : {defaults::kWideGateScale, defaults::kGateScale}) {
    penalty.gate = variance / (scale * scale);
    path.push_back({experts, false, penalty});
  }
  return path;
}

std::vector<double> fit_probabilities(const Problem& problem, const ProbabilitySetting& setting,
                                      std::span<const double> start, double least_gain,
                                      int num_threads) {
  check_interrupt();
  const MixtureLayout layout = problem.layout(setting.experts);
  const auto without_slopes = [&](std::vector<double> theta) {
    for (int k = 0; setting.same_shares && k + 1 < setting.experts; ++k)
      std::fill_n(theta.begin() + static_cast<std::ptrdiff_t>(layout.gate(k)), layout.num_contexts,
                  0.0);
    return theta;
  };
  return without_slopes(
      fit_routed(problem, {}, setting.penalty, layout, without_slopes({start.begin(), start.end()}),
                 {.num_threads = num_threads, .tolerance = least_gain / problem.rows.total()})
          .theta);
}

// The rows on which the mixtures are judged: all rows of the log, or a subsample of them.
struct JudgedRows {
  Problem problem;
  Folds folds;
  std::vector<std::size_t> rows;  // the row of the log for each row of `problem`
  std::vector<std::uint32_t> groups;
  std::vector<double> rival, pooled;  // predictions of held-out rows

  std::vector<double> losses(std::span<const double> eta) const {
    return row_losses(problem, folds, eta);
  }
};

template <class Value>
std::vector<Value> picked(std::span<const Value> values, const std::vector<std::size_t>& rows) {
  std::vector<Value> result;
  for (const std::size_t row : rows) {
    if (!values.empty()) result.push_back(values[row]);
  }
  return result;
}

// Returns the division into folds that the rival had.
Folds folds_of(const LoggedData& log, const HeldOutRival& rival,
               const ProbabilityOptions& options) {
  const auto never = [](double eta) { return std::isnan(eta); };
  if (std::ranges::none_of(rival.model, never))
    return split_rows(log, {options.folds, 0, options.seed}).folds;
  Folds once{1, {}};
  for (const double eta : rival.model)
    once.of_row.push_back(never(eta) ? Folds::kNeverHeldOut : std::uint8_t{0});
  return once;
}

JudgedRows judged_rows(const LoggedData& log, const Problem& problem, const HeldOutRival& rival,
                       const ProbabilityOptions& options) {
  const Folds all = folds_of(log, rival, options);
  JudgedRows judged{problem, {all.count, {}}, {}, {}, {}, {}};
  if (problem.num_rows() > defaults::kSelectionRows) {
    judged.problem = subsample(problem, defaults::kSelectionRows, &judged.rows);
  } else {
    for (std::size_t i = 0; i < problem.num_rows(); ++i) judged.rows.push_back(i);
  }
  judged.folds.of_row = picked(std::span(all.of_row), judged.rows);
  judged.groups = picked(log.groups(), judged.rows);
  judged.rival = picked(rival.model, judged.rows);
  judged.pooled = picked(rival.pooled, judged.rows);
  return judged;
}

// Holds the training rows of one fold, and the parameters at which fits to these rows start.
class FoldOfProbabilities {
 public:
  FoldOfProbabilities(const JudgedRows& judged, const PooledFit& pooled, int fold)
      : judged_(judged),
        fold_(fold),
        training_(judged.folds.training(judged.problem, fold)),
        taste_(training_, fit_mixture(training_, pooled.penalty, pooled.fit.layout,
                                      pooled.fit.theta, {1, false})
                              .theta) {}

  // Fits the setting and writes the predictions of the held-out rows to `eta`. `theta` has the start
  // on entry and the fitted parameters on return; if it is empty, the fit has its own start.
  void fit(const ProbabilitySetting& setting, std::vector<double>& theta, int num_threads,
           std::vector<double>& eta) const {
    if (theta.empty()) theta = taste_.start(setting.experts);
    theta = fit_probabilities(training_, setting, theta, kRoughProbabilityGain, num_threads);
    std::vector<double> all(training_.num_rows());
    linear_predictors(*training_.features, training_.layout(setting.experts), theta, num_threads,
                      all, Mixed::kProbabilities);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (judged_.folds.of_row[i] == fold_) eta[i] = all[i];
    }
  }

 private:
  const JudgedRows& judged_;
  int fold_;
  Problem training_;
  TasteStart taste_;
};

// Predictions of all held-out rows by settings of one kind: all with equal shares, or all with shares
// that depend on the context.
struct HeldOutProbabilities {
  std::vector<ProbabilitySetting> settings;
  std::vector<std::vector<double>> eta, losses;  // [setting][row]
  std::vector<std::vector<double>> thetas;       // [fold]: of the setting that was fitted last
};

// Returns the mean of `other` minus `own` over the rows that have both losses.
MeanAndError lead_of(const JudgedRows& judged, std::vector<double> other,
                     std::span<const double> own) {
  for (std::size_t i = 0; i < other.size(); ++i) other[i] -= own[i];
  return mean_and_error(judged.problem, other, judged.groups);
}

// Looks at one fold after the other, with one K. Returns true as soon as a mixture predicts the rows
// held out so far better than the rival, and false if all mixtures predict them worse by more than a
// standard error, or worse at all after the last fold.
bool first_test(const JudgedRows& judged, const PooledFit& pooled,
                const ProbabilityOptions& options) {
  const std::vector<double> rival = judged.losses(judged.rival);
  const bool usual = std::ranges::find(options.experts, kTestedExperts) != options.experts.end();
  const auto path =
      path_of(judged.problem, pooled.penalty, usual ? kTestedExperts : options.experts.front());
  std::vector<std::vector<double>> eta(
      path.size(), std::vector<double>(judged.problem.num_rows(), kNotPredicted));
  for (int fold = 0; fold < judged.folds.count; ++fold) {
    const FoldOfProbabilities here(judged, pooled, fold);
    std::vector<double> theta = options.start;
    bool hopeless = true;
    for (std::size_t s = 0; s < path.size(); ++s) {
      here.fit(path[s], theta, options.num_threads, eta[s]);
      const MeanAndError lead = lead_of(judged, rival, judged.losses(eta[s]));
      if (lead.mean > 0) return true;
      hopeless = hopeless && lead.mean < -lead.standard_error;
    }
    if (hopeless) return false;
  }
  return false;
}

// Fits mixtures of probabilities on every fold and compares them.
class ProbabilityContest {
 public:
  ProbabilityContest(const JudgedRows& judged, const PooledFit& pooled,
                     const ProbabilityOptions& options)
      : judged_(judged), pooled_(pooled), options_(options) {
    for (int fold = 0; fold < judged.folds.count; ++fold) folds_.emplace_back(judged, pooled, fold);
  }

  // Compares all settings. Equal shares are fitted for every K. Shares that depend on the context
  // take longer, so they are fitted only for the K that is best with equal shares.
  ProbabilityMixture run() {
    for (const int experts : options_.experts) {
      HeldOutProbabilities one = fit({path(experts).front()}, {});
      record(one);
      if (&best() == &result_.tried.back()) near_best_ = std::move(one.thetas);
      equal_.settings.push_back(one.settings.front());
      equal_.eta.push_back(std::move(one.eta.front()));
      equal_.losses.push_back(std::move(one.losses.front()));
    }
    result_.setting = best().setting;
    std::vector<double> eta = honest(equal_);
    if (judged_.problem.num_contexts > 0) try_dependent_shares(eta);
    judge(eta);
    return std::move(result_);
  }

 private:
  std::vector<ProbabilitySetting> path(int experts) const {
    return path_of(judged_.problem, pooled_.penalty, experts);
  }

  const TriedProbabilities& best() const {
    return *std::ranges::min_element(result_.tried, {}, &TriedProbabilities::loss);
  }

  // Fits settings of one K on every fold, one setting after the other. The first setting starts from
  // `thetas`, or from its own start if `thetas` is empty.
  HeldOutProbabilities fit(const std::vector<ProbabilitySetting>& settings,
                           std::vector<std::vector<double>> thetas) const {
    const std::size_t count = folds_.size();
    HeldOutProbabilities fits{settings, {}, {}, std::move(thetas)};
    if (fits.thetas.empty()) fits.thetas.assign(count, options_.start);
    fits.eta.assign(settings.size(),
                    std::vector<double>(judged_.problem.num_rows(), kNotPredicted));
    const int within = count == 1 ? options_.num_threads : 1;
    parallel_for(count, options_.num_threads, [&](std::size_t fold) {
      for (std::size_t s = 0; s < settings.size(); ++s)
        folds_[fold].fit(settings[s], fits.thetas[fold], within, fits.eta[s]);
    });
    for (const auto& eta : fits.eta) fits.losses.push_back(judged_.losses(eta));
    return fits;
  }

  void record(const HeldOutProbabilities& fits) {
    for (std::size_t s = 0; s < fits.settings.size(); ++s) {
      result_.tried.push_back(
          {fits.settings[s], mean_and_error(judged_.problem, fits.losses[s], {}).mean});
    }
  }

  std::vector<double> honest(const HeldOutProbabilities& fits) const {
    return honest_eta(judged_.problem, judged_.folds, judged_.groups, fits.eta, fits.losses);
  }

  // Replaces the chosen setting, and the predictions `eta`, if shares that depend on the context
  // predict better by more than a standard error. With less, the division into folds would decide, and
  // decisions would depend on the seed. Whether a gain is proven is another question, which
  // context_gain answers.
  void try_dependent_shares(std::vector<double>& eta) {
    const std::vector<double> equal = equal_.losses[&best() - result_.tried.data()];
    const auto settings = path(result_.setting.experts);
    const HeldOutProbabilities dependent =
        fit({settings.begin() + 1, settings.end()}, std::move(near_best_));
    record(dependent);
    std::vector<double> dependent_eta = honest(dependent);
    const MeanAndError gain = lead_of(judged_, equal, judged_.losses(dependent_eta));
    result_.context_gain = gain;
    if (gain.mean <= gain.standard_error) return;
    eta = std::move(dependent_eta);
    const auto all = [](std::size_t) { return true; };
    result_.setting = dependent.settings[least_loss(judged_.problem, dependent.losses, all)];
  }

  void judge(const std::vector<double>& eta) {
    const std::vector<double> losses = judged_.losses(eta);
    const std::vector<double> pooled = judged_.losses(judged_.pooled);
    result_.lead = lead_of(judged_, judged_.losses(judged_.rival), losses);
    result_.chosen = result_.lead.mean > defaults::kProbabilitiesLead * result_.lead.standard_error;
    result_.loss = mean_and_error(judged_.problem, losses, {}).mean;
    result_.pooled_loss = mean_and_error(judged_.problem, pooled, {}).mean;
    result_.gain = lead_of(judged_, pooled, losses);
    result_.held_out_eta = eta;
  }

  const JudgedRows& judged_;
  const PooledFit& pooled_;
  const ProbabilityOptions& options_;
  std::vector<FoldOfProbabilities> folds_;
  HeldOutProbabilities equal_;
  std::vector<std::vector<double>> near_best_;  // [fold]: parameters of the best equal shares
  ProbabilityMixture result_;
};

// Fits the chosen setting to all rows. The settings before it in its path are fitted first.
std::vector<double> fit_to_all(const Problem& problem, const PooledFit& pooled,
                               const ProbabilityOptions& options,
                               const ProbabilitySetting& chosen) {
  std::vector<double> theta = options.start;
  if (theta.empty()) theta = TasteStart(problem, pooled.fit.theta).start(chosen.experts);
  for (const ProbabilitySetting& setting : path_of(problem, pooled.penalty, chosen.experts)) {
    if (setting.same_shares == chosen.same_shares) break;
    theta = fit_probabilities(problem, setting, theta, kRoughProbabilityGain, options.num_threads);
  }
  return fit_probabilities(problem, chosen, theta, kPreciseGain, options.num_threads);
}

}  // namespace

ProbabilityMixture choose_probabilities(const LoggedData& log, const Problem& problem,
                                        const PooledFit& pooled, const HeldOutRival& rival,
                                        const ProbabilityOptions& options) {
  const JudgedRows judged = judged_rows(log, problem, rival, options);
  if (!first_test(judged, pooled, options)) return {};
  ProbabilityMixture result = ProbabilityContest(judged, pooled, options).run();
  std::vector<double> eta(problem.num_rows(), kNotPredicted);
  for (std::size_t i = 0; i < judged.rows.size(); ++i) {
    if (judged.folds.held_out(i)) eta[judged.rows[i]] = result.held_out_eta[i];
  }
  result.held_out_eta = std::move(eta);
  if (result.chosen) {
    result.layout = problem.layout(result.setting.experts);
    result.theta = fit_to_all(problem, pooled, options, result.setting);
  }
  return result;
}

}  // namespace otss::internal
