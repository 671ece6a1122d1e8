#include "learn/selection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "learn/spectral_start.hpp"
#include "otss/data/splits.hpp"

namespace otss {
namespace {

constexpr std::size_t kSelectionRows = 20'000;  // with more, the penalties no longer matter and only K does

// Prior standard deviations of |G x| over all columns and of |delta| over all factors, in standardised units.
constexpr double kGateScales[] = {4, 2, 1, 0.5};
constexpr double kExpertScales[] = {2.5, 1, 0.4};

// Weak to strong: see score_held_out.
std::vector<Setting> grid(int experts, const Penalty& pooled, const Problem& problem) {
  std::vector<Setting> settings;
  for (const double gate : kGateScales) {
    for (const double expert : kExpertScales) {
      Penalty penalty = pooled;
      penalty.gate = std::max(1, problem.num_contexts) / (gate * gate);
      penalty.expert = problem.num_factors() / (expert * expert);
      settings.push_back({experts, penalty});
    }
  }
  return settings;
}

Folds split(const LoggedData& log, const SelectionOptions& options, std::string& words) {
  Folds folds;
  const bool by_time = !log.times().empty();
  if (options.validation > 0 || by_time) {
    folds.count = 1;
    folds.of_row = options.validation > 0 ? validation_rows(log, options.validation, options.seed)
                                          : validation_rows(log, 0.2, options.seed);
    for (auto& fold : folds.of_row) fold = fold == 1 ? 0 : Folds::kNeverHeldOut;
    const auto held = std::count(folds.of_row.begin(), folds.of_row.end(), 0);
    words = fmt::format("the {} {} rows", by_time ? "latest" : "randomly chosen", held);
  } else {
    folds.count = options.folds;
    folds.of_row = assign_folds(log, options.folds, options.seed);
    words = fmt::format("{}-fold cross-validation", options.folds);
  }
  if (!log.groups().empty()) words += ", groups kept together";
  return folds;
}

// A part (0 … 4) for each held-out row, so that rows can be scored by settings chosen without them.
std::vector<std::uint8_t> parts(const Folds& folds) {
  if (folds.count > 1) return folds.of_row;
  constexpr int kParts = 5;
  std::vector<std::uint8_t> part = folds.of_row;
  std::uint8_t next = 0;
  for (auto& p : part) {
    if (p != Folds::kNeverHeldOut) p = next++ % kParts;
  }
  return part;
}

// For each part the loss of the setting that is best on all other parts.
std::vector<double> honest_row_loss(const Problem& problem, const HeldOut& held_out,
                                    const std::vector<std::uint8_t>& part,
                                    const std::vector<std::size_t>& candidates) {
  std::map<int, std::vector<double>> sums;  // part -> loss of each candidate on it
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == Folds::kNeverHeldOut) continue;
    auto& of_part = sums[part[i]];
    of_part.resize(candidates.size());
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const double loss = held_out.row_loss[candidates[c]][i];
      if (!std::isnan(loss)) of_part[c] += std::abs(problem.rows[i]) * loss;
    }
  }
  std::map<int, std::size_t> best;
  for (const auto& [p, own] : sums) {
    std::vector<double> others(candidates.size(), 0.0);
    for (const auto& [q, of_part] : sums) {
      if (q == p) continue;
      for (std::size_t c = 0; c < candidates.size(); ++c) others[c] += of_part[c];
    }
    best[p] = candidates[std::min_element(others.begin(), others.end()) - others.begin()];
  }
  std::vector<double> result(part.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] != Folds::kNeverHeldOut) result[i] = held_out.row_loss[best[part[i]]][i];
  }
  return result;
}

double mean_of(const Problem& problem, std::span<const double> row_loss) {
  const std::vector<double> zero(row_loss.size(), 0.0);
  return paired_gain(problem, row_loss, zero).gain;
}

std::size_t best_of(const HeldOut& held_out, const std::vector<std::size_t>& candidates) {
  return *std::min_element(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
    return held_out.mean[a] < held_out.mean[b];
  });
}

Selection conclude(const Problem& problem, const HeldOut& held_out, const Folds& folds, bool may_choose_pooled) {
  std::vector<std::size_t> candidates(held_out.settings.size());
  std::iota(candidates.begin(), candidates.end(), 0);
  if (!may_choose_pooled && candidates.size() > 1) candidates.erase(candidates.begin());
  Selection selection;
  selection.chosen = held_out.settings[best_of(held_out, candidates)];
  const auto row_loss = honest_row_loss(problem, held_out, parts(folds), candidates);
  selection.validation_loss = mean_of(problem, row_loss);
  selection.pooled_loss = held_out.mean.front();
  selection.gain = paired_gain(problem, held_out.row_loss.front(), row_loss);
  for (std::size_t s = 0; s < held_out.settings.size(); ++s) {
    selection.tried.push_back({held_out.settings[s], held_out.mean[s]});
  }
  return selection;
}

// The best setting of every K on the small problem.
std::vector<Setting> best_per_count(const HeldOut& held_out) {
  std::map<int, std::size_t> best;
  for (std::size_t s = 0; s < held_out.settings.size(); ++s) {
    const auto [found, fresh] = best.try_emplace(held_out.settings[s].experts, s);
    if (!fresh && held_out.mean[s] < held_out.mean[found->second]) found->second = s;
  }
  std::vector<Setting> settings;
  for (const auto& [experts, s] : best) settings.push_back(held_out.settings[s]);
  return settings;
}

}  // namespace

Selection select_setting(const LoggedData& log, const Problem& problem, const Penalty& pooled_penalty,
                         const SelectionOptions& options, const std::function<void(double)>& progress) {
  std::vector<Setting> settings{{1, pooled_penalty}};
  for (const int experts : options.experts) {
    for (const Setting& setting : grid(experts, pooled_penalty, problem)) settings.push_back(setting);
  }
  std::string words;
  Folds folds = split(log, options, words);
  if (problem.num_rows() <= kSelectionRows) {
    const HeldOut held_out = score_held_out(problem, folds, settings, options.num_threads, progress);
    Selection selection = conclude(problem, held_out, folds, options.may_choose_pooled);
    selection.selection_rows = problem.num_rows();
    selection.split = words;
    return selection;
  }

  // Penalties on a subsample, then K (and the reported losses) on one split of all rows.
  std::vector<std::size_t> rows;
  const Problem small = subsample(problem, kSelectionRows, &rows);
  Folds small_folds{folds.count, {}};
  for (const std::size_t row : rows) small_folds.of_row.push_back(folds.of_row[row]);
  const HeldOut rough = score_held_out(small, small_folds, settings, options.num_threads,
                                       [&](double done) { if (progress) progress(0.7 * done); });
  SelectionOptions one_split = options;
  if (!(one_split.validation > 0)) one_split.validation = 0.2;
  folds = split(log, one_split, words);
  const HeldOut held_out =
      score_held_out(problem, folds, best_per_count(rough), options.num_threads,
                     [&](double done) { if (progress) progress(0.7 + 0.3 * done); });
  Selection selection = conclude(problem, held_out, folds, options.may_choose_pooled);
  selection.selection_rows = rows.size();
  selection.split = words + fmt::format("; penalties by cross-validation on {} rows", rows.size());
  for (std::size_t s = 0; s < rough.settings.size(); ++s) {
    selection.tried.push_back({rough.settings[s], rough.mean[s]});
  }
  return selection;
}

}  // namespace otss
