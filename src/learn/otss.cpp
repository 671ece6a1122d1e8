#include "learn/otss.hpp"

#include <fmt/core.h>

#include <map>

namespace otss {
namespace {

constexpr std::size_t kMostSampledRows = 10'000;

// Of the variation of the logits that heterogeneity explains.
constexpr double kDistillingLoss = 0.02;

// Where to start distilling into K experts.
using Starts = std::map<int, std::vector<double>>;

// The heaviest member of each K.
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

// The fewest experts that lose next to nothing of the average.
Distilled distill_into_fewest(const Problem& problem, const std::vector<Member>& members,
                              const std::vector<int>& counts, const Starts& starts,
                              Distiller::Sharing sharing) {
  const Distiller distiller(problem, members);
  Distilled distilled;
  for (const int experts : counts) {
    const auto start = starts.find(experts);
    if (start == starts.end()) continue;
    distilled = distiller.into(experts, start->second, sharing);
    if (distilled.loss.relative <= kDistillingLoss) break;
  }
  return distilled;
}

// Where left-out rows are sure to gain, the posterior's error and the penalised fits' are about
// equal and not the same: half of each has less than either.
constexpr double kSureBlend = 6;  // standard errors
constexpr double kFittedShare = 0.5;

void blend_in(const std::vector<Member>& fitted, std::vector<Member>& members) {
  for (Member& member : members) member.weight *= 1 - kFittedShare;
  for (Member member : fitted) {
    member.weight *= kFittedShare;
    members.push_back(std::move(member));
  }
}

}  // namespace

Estimator automatic_estimator(const LoggedData& log, const SelectionOptions& choices) {
  const bool rows_are_chosen = choices.validation > 0 || !log.times().empty();
  return rows_are_chosen || log.num_rows() > kMostSampledRows ? Estimator::kMap : Estimator::kBayes;
}

OtssFit fit_otss(const LoggedData& log, const Problem& problem, const PooledFit& pooled,
                 Estimator estimator, bool any_count, bool may_blend,
                 const SelectionOptions& choices, const BayesOptions& sampling,
                 const std::function<void(double)>& progress) {
  OtssFit fit;
  bool blended = false;
  if (estimator == Estimator::kBayes) {
    fit.average = average_posteriors(log, problem, pooled, choices, sampling, progress);
    const MeanAndError& gain = fit.average.selection.gain;
    blended = may_blend && gain.mean > kSureBlend * gain.standard_error;
    if (blended) {
      blend_in(select_settings(log, problem, pooled.penalty, choices, {}).members,
               fit.average.selection.members);
    }
  } else {
    fit.average.selection = select_settings(log, problem, pooled.penalty, choices, progress);
  }
  const Selection& selection = fit.average.selection;
  // A posterior needs no such way out: its priors and its weight on the pooled model shrink by
  // themselves.
  if (estimator == Estimator::kMap && any_count && selection.gain.mean <= 0) {
    fit.average.selection.members = {{1, pooled.fit.layout, pooled.fit.theta, pooled.penalty}};
    fit.distilled = {pooled.fit.layout, pooled.fit.theta, {}};
    fit.why = "no setting predicts held-out rows better than one trade-off for everybody";
    return fit;
  }
  Starts starts = estimator == Estimator::kBayes ? modes(fit.average.posteriors)
                                                 : heaviest_members(selection.members);
  // Distilling from the model that is continued keeps its experts' labels.
  const bool continued = !choices.start.empty();
  if (continued) starts[choices.experts.front()] = choices.start;
  fit.distilled = distill_into_fewest(
      problem, selection.members, choices.experts, starts,
      continued ? Distiller::Sharing::kAsStarted : Distiller::Sharing::kFewExperts);
  fit.why = estimator == Estimator::kBayes
                ? fmt::format("the average of {} posteriors{}", fit.average.posteriors.size(),
                              blended ? ", half and half with penalised fits" : "")
                : fmt::format("the average of {} settings", selection.tried.size());
  fit.why +=
      fmt::format(", weighed by held-out rows, in {} experts", fit.distilled.layout.num_experts);
  return fit;
}

}  // namespace otss
