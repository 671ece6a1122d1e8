#include "learn/estimate/estimate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "base/profile.hpp"
#include "base/threads.hpp"
#include "learn/options/defaults.hpp"
#include "learn/problem/spectral_start.hpp"

namespace otss::internal {
namespace {

// Maps each K to the starting point of distilling into K experts.
using Starts = std::map<int, std::vector<double>>;

// Returns, for each K, the parameters of the member with the largest weight.
Starts heaviest_members(const std::vector<Member>& members) {
  std::map<int, const Member*> heaviest;
  for (const Member& member : members) {
    const Member*& found = heaviest[member.layout.num_experts];
    if (found == nullptr || member.weight > found->weight) found = &member;
  }
  Starts starts;
  for (const auto& [experts, member] : heaviest) starts[experts] = member->theta;
  return starts;
}

Starts modes(const std::vector<Posterior>& posteriors) {
  Starts starts;
  for (const Posterior& posterior : posteriors)
    starts[posterior.layout.num_experts] = posterior.mode;
  return starts;
}

// Returns the numbers of experts to distil into, the smallest first. Weights that are linear in the
// context may need more experts than the mixtures in the average have.
std::vector<int> counts_to_distil(const SelectionOptions& choices, const Starts& starts) {
  std::set<int> counts(choices.experts.begin(), choices.experts.end());
  if (choices.may_grow) {
    for (const auto& [experts, theta] : starts) counts.insert(experts);
  }
  if (choices.smooth)
    counts.insert(defaults::kSmoothExperts.begin(), defaults::kSmoothExperts.end());
  counts.erase(1);
  return {counts.begin(), counts.end()};
}

// Returns the index of the first of these fits, K ascending, that has almost the least loss of all.
std::size_t fewest_experts(std::span<const Distilled> fits) {
  double least = std::numeric_limits<double>::infinity();
  for (const Distilled& fit : fits) least = std::min(least, fit.loss.relative);
  const auto close_to_it = [&](const Distilled& fit) {
    return fit.loss.relative <= least + defaults::kDistillingLoss;
  };
  return std::ranges::find_if(fits, close_to_it) - fits.begin();
}

// Distils into the smallest K of `counts` that changes the model little enough. If the gain is
// supported, larger K are tried until the relative loss is at most kDistillingLoss, and the smallest
// K wins that loses at most kDistillingLoss more than the best of them. If the gain is not
// supported, at most the share kUnprovenChanges of the decisions may change: such a gain justifies
// no more experts than the decisions need; if no K is enough, takes the largest K.
Distilled distill_into_fewest(const Problem& problem, const PooledFit& pooled,
                              const Selection& selection, const std::vector<int>& counts,
                              const Starts& starts, Distiller::Sharing sharing, int num_threads) {
  const StageTimer timer(Stage::kDistil);
  if (counts.empty()) return {};
  const bool supported = judge_gain(selection.gain).supported;
  const Distiller distiller(problem, selection.members, num_threads);
  std::vector<Distilled> distilled(counts.size());
  const std::size_t enough = parallel_find(counts.size(), num_threads, [&](std::size_t i) {
    const auto start = starts.find(counts[i]);
    const std::vector<double> from =
        start != starts.end() ? start->second
                              : SpectralStart(problem, pooled.fit.theta).start(counts[i]);
    distilled[i] = distiller.into(counts[i], from, sharing);
    const DistillingLoss& loss = distilled[i].loss;
    return supported ? loss.relative <= defaults::kDistillingLoss
                     : loss.changed_decisions <= defaults::kUnprovenChanges;
  });
  const std::size_t last = std::min(enough, counts.size() - 1);
  return distilled[supported ? fewest_experts(std::span(distilled).first(last + 1)) : last];
}

double smooth_weight(const Selection& selection) {
  double weight = 0;
  for (const Member& member : selection.members) {
    if (member.slopes.size() > 0) weight += member.weight;
  }
  return weight;
}

// Returns those of the K whose posterior has at least a tenth of the largest weight of a posterior.
std::vector<int> counts_with_weight(const Selection& sampled, std::vector<int> counts) {
  std::map<int, double> weights;
  for (const Tried& tried : sampled.tried) {
    if (!tried.setting.smooth) weights[tried.setting.experts] = tried.weight;
  }
  double largest = 0;
  for (const int experts : counts) largest = std::max(largest, weights[experts]);
  std::erase_if(counts, [&](int experts) {
    return weights[experts] < defaults::kNegligibleBesideDraws * largest;
  });
  return counts;
}

// Returns the penalised fits that the estimator map would average, for these K.
std::vector<Member> penalised_members(const LoggedData& log, const Problem& problem,
                                      const PooledFit& pooled, SelectionOptions choices,
                                      const std::vector<int>& counts) {
  choices.experts = counts;
  choices.may_grow = false;
  choices.smooth = false;  // the average already contains the model with linear weights
  choices.repeats = 1;
  return select_settings(log, problem, pooled.penalty, choices, {}).members;
}

void blend_in(const std::vector<Member>& fitted, std::vector<Member>& members) {
  for (Member& member : members) member.weight *= 1 - defaults::kPenalisedFitsShare;
  for (Member member : fitted) {
    member.weight *= defaults::kPenalisedFitsShare;
    members.push_back(std::move(member));
  }
}

// Moves an average that does not predict held-out rows better than the pooled model towards the
// pooled model. Predictors between both may be better than either: the average then keeps the best
// share. Returns this share, or 0 if one trade-off for everybody changes at most kUnprovenChanges of
// the decisions.
double shrink_towards_pooled(const Problem& problem, const PooledFit& pooled, Selection& selection,
                             int num_threads) {
  Member alone{1, pooled.fit.layout, pooled.fit.theta, pooled.penalty};
  const double share = selection.average_share;
  std::vector<Member> members = selection.members;
  for (Member& member : members) member.weight *= share;
  members.push_back(alone);
  members.back().weight = 1 - share;
  selection.seed_changes = std::nullopt;  // it was measured before
  const Distiller average(problem, members, num_threads);
  const bool matters =
      share > 0 && average.changed_decisions(Distiller(problem, {alone}, num_threads)) >
                       defaults::kUnprovenChanges;
  selection.members = matters ? std::move(members) : std::vector{std::move(alone)};
  return matters ? share : 0;
}

constexpr const char* kPickedWords = "the setting with the lowest loss on held-out rows";

std::string in_words(const Estimate& fit, bool blended, bool smooth) {
  const Selection& selection = fit.average.selection;
  const std::size_t posteriors = fit.average.posteriors.size();
  std::string words =
      posteriors > 0 ? fmt::format("the average of {} posteriors{}", posteriors,
                                   blended ? " (half of the weight) and penalised fits (half)" : "")
                     : fmt::format("the average of {} settings",
                                   std::ranges::count_if(selection.tried, [](const Tried& tried) {
                                     return !tried.setting.smooth;
                                   }));
  if (smooth) {
    words += fmt::format(" and weights that are linear in the context (weight {:.2f})",
                         smooth_weight(selection));
  }
  words += ", weighted by held-out loss";
  if (fit.average_share < 1) {
    words += fmt::format(
        ", shrunk to {:.2f} of its difference from one trade-off for everybody because this "
        "predicts held-out rows best",
        fit.average_share);
  }
  return words + fmt::format(", distilled into {} experts", fit.distilled.layout.num_experts);
}

std::string in_words(const ProbabilityMixture& mixture) {
  return fmt::format(
      "a mixture of the probabilities of {} experts{}: on held-out rows its log-loss is lower than "
      "that of the best average of soft segments by {:.4f} per row (standard error {:.4f})",
      mixture.layout.num_experts,
      mixture.setting.same_shares ? ", with the same shares in every context" : "",
      mixture.lead.mean, mixture.lead.standard_error);
}

}  // namespace

Estimator automatic_estimator(const LoggedData& log, const SelectionOptions& choices) {
  const bool rows_are_chosen = choices.validation > 0 || !log.times().empty();
  // With groups, the estimator bayes has to sample every posterior again for each fold
  // (posterior_average.cpp), so bayes would take several times as long.
  const bool grouped = !log.groups().empty();
  const bool many =
      log.num_rows() > defaults::kMostSampledRows || log.num_contexts() > defaults::kManyColumns;
  return rows_are_chosen || grouped || many ? Estimator::kMap : Estimator::kBayes;
}

const Member* heaviest_fit(const Estimate& estimate, int num_experts) {
  const Member* heaviest = nullptr;
  for (const Member& member : estimate.average.selection.members) {
    if (!member.penalty.has_value() || member.layout.num_experts != num_experts) continue;
    if (heaviest == nullptr || member.weight > heaviest->weight) heaviest = &member;
  }
  return heaviest;
}

Penalty deployed_penalty(const Estimate& estimate, const PooledFit& pooled, int num_experts) {
  const Member* heaviest = heaviest_fit(estimate, num_experts);
  if (heaviest != nullptr) return *heaviest->penalty;
  for (const Posterior& posterior : estimate.average.posteriors) {
    if (posterior.layout.num_experts == num_experts) return posterior.strengths;
  }
  return pooled.penalty;
}

Estimate estimate_mixture(const LoggedData& log, const Problem& problem, const PooledFit& pooled,
                          const EstimatePlan& plan, const std::function<void(double)>& progress) {
  const SelectionOptions& choices = plan.choices;
  if (choices.experts.empty()) {
    return {{select_settings(log, problem, pooled.penalty, choices, progress), {}, 0},
            {pooled.fit.layout, pooled.fit.theta, {}},
            "the pooled model was asked for"};
  }
  Estimate fit;
  const bool sampled = plan.estimator == Estimator::kBayes;
  std::vector<Member> penalised;  // empty if the posteriors are not blended with penalised fits
  const auto fit_penalised = [&](const Selection& weighed, const std::vector<int>& counts) {
    const MeanAndError& gain = weighed.gain;
    // Without a gain, the average is shrunk towards the pooled model.
    if (!plan.may_blend || (gain.mean <= 0 && plan.any_count)) return;
    SelectionOptions settings = choices;
    settings.ridges = gain.mean <= defaults::kGainForPenalisedFits * gain.standard_error;
    // Weights that are linear in the context serve a gain that is not clear better than ridges.
    if (settings.ridges && choices.smooth) return;
    penalised = penalised_members(log, problem, pooled, settings,
                                  settings.ridges ? counts_with_weight(weighed, counts) : counts);
  };
  fit.average = sampled
                    ? average_posteriors(log, problem, pooled, choices, plan.sampling, progress,
                                         fit_penalised)
                    : PosteriorAverage{
                          select_settings(log, problem, pooled.penalty, choices, progress), {}, 0};
  Selection& selection = fit.average.selection;
  const bool picked = choices.treatment == Treatment::kPick;
  if (picked && selection.members.front().slopes.size() == 0) {
    const Member& member = selection.members.front();
    fit.distilled = {member.layout, member.theta, {}};
    fit.why = kPickedWords;
    return fit;
  }
  // A large log gets one fit to all rows, which cannot be shrunk like an average.
  if (plan.any_count && !picked && selection.gain.mean <= 0) {
    if (choices.is_sample) selection.average_share = 0;
    fit.average_share = shrink_towards_pooled(problem, pooled, selection, choices.num_threads);
  }
  // Without a gain on held-out rows there is no reason for more than one trade-off.
  if (fit.average_share == 0) {
    fit.distilled = {pooled.fit.layout, pooled.fit.theta, {}};
    fit.why = "one trade-off for everybody: no average predicts held-out rows better";
    return fit;
  }
  const bool blended = !penalised.empty();
  if (blended) blend_in(penalised, selection.members);
  Starts starts = sampled ? modes(fit.average.posteriors) : heaviest_members(selection.members);
  // When a fit continues an earlier model, distilling starts from that model, to keep the order of
  // its experts.
  const bool continued = !choices.start.empty();
  if (continued) starts[choices.experts.front()] = choices.start;
  fit.distilled = distill_into_fewest(
      problem, pooled, selection, counts_to_distil(choices, starts), starts,
      continued ? Distiller::Sharing::kAsStarted : Distiller::Sharing::kFewExperts,
      choices.num_threads);
  fit.why = picked ? fmt::format(
                         "{}: weights that are linear in the context, distilled into {} "
                         "experts",
                         kPickedWords, fit.distilled.layout.num_experts)
                   : in_words(fit, blended, choices.smooth);
  return fit;
}

void consider_probabilities(const LoggedData& log, const Problem& problem, const PooledFit& pooled,
                            const SelectionOptions& choices, Estimate& fit) {
  const Selection& selection = fit.average.selection;
  std::vector<double> rival = selection.held_out_eta;  // NaN for rows that are never held out
  for (std::size_t i = 0; i < rival.size(); ++i)
    rival[i] = selection.pooled_eta[i] + fit.average_share * (rival[i] - selection.pooled_eta[i]);
  fit.probabilities = choose_probabilities(log, problem, pooled, {rival, selection.pooled_eta},
                                           {.experts = choices.experts,
                                            .folds = choices.folds,
                                            .seed = choices.seed,
                                            .num_threads = choices.num_threads,
                                            .start = choices.start});
  if (fit.probabilities.chosen) fit.why = in_words(fit.probabilities);
}

}  // namespace otss::internal
