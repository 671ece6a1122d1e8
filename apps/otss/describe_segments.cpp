#include "describe_segments.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "printing.hpp"

namespace otss::app {
namespace {

constexpr std::size_t kMostNamed = 3;

// A change is named only if its size is at least this fraction of the largest size.
constexpr double kWorthNaming = 0.25;

// A context column is named only if the mean of a segment's members is at least this many standard
// deviations away from the mean of all contexts (a small effect, Cohen 1988).
constexpr double kNotable = 0.2;

// A change of one factor's weight. The changes with the largest sizes are named first.
struct Change {
  double size = 0;  // the change times FactorColumn::scale; negative if the weight decreases
  std::string words;
};

// Returns the words of the largest increases (sign +1) or decreases (sign -1) whose size is at
// least `least`.
std::vector<std::string> largest(std::vector<Change> changes, double sign, double least) {
  std::erase_if(changes, [&](const Change& one) { return sign * one.size < least; });
  std::ranges::stable_sort(changes, std::greater{},
                           [](const Change& one) { return std::abs(one.size); });
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(changes.size(), kMostNamed); ++i)
    words.push_back(changes[i].words);
  return words;
}

double largest_size(const std::vector<Change>& changes) {
  double most = 0;
  for (const Change& one : changes) most = std::max(most, std::abs(one.size));
  return most;
}

// Returns the mean of each weight over all contexts.
std::vector<double> average_weights(const Fitted& fitted,
                                    const std::vector<SegmentProfile>& segments) {
  std::vector<double> average(fitted.num_factors(), 0.0);
  for (const SegmentProfile& segment : segments) {
    for (std::size_t j = 0; j < segment.weights.size(); ++j)
      average[j] += segment.members * segment.weights[j];
  }
  return average;
}

std::string wants(const Fitted& fitted, const std::vector<double>& average,
                  const SegmentProfile& segment) {
  std::vector<Change> changes;
  for (std::size_t j = 0; j < average.size(); ++j) {
    const FactorColumn& factor = fitted.encoder().factors[j];
    changes.push_back({(segment.weights[j] - average[j]) * factor.scale,
                       fmt::format("{} ({:+.3g}, average {:+.3g})", factor.name, segment.weights[j],
                                   average[j])});
  }
  const double least = std::max(kWorthNaming * largest_size(changes), 1e-12);
  const auto more = largest(changes, +1, least);
  const auto less = largest(changes, -1, least);
  if (more.empty() && less.empty()) return "want what the average context wants";
  std::string words = "want ";
  if (!more.empty()) words += fmt::format("more {}", fmt::join(more, ", "));
  if (!less.empty())
    words += fmt::format("{}less {}", more.empty() ? "" : "; ", fmt::join(less, ", "));
  return words;
}

std::string contrast_in_words(const ContextContrast& contrast) {
  const bool up = contrast.difference > 0;
  if (contrast.missing || !contrast.level.empty()) {
    return fmt::format(
        "{} often {} ({:.0f} %, everybody {:.0f} %)", up ? "more" : "less",
        contrast.missing ? contrast.column + " missing" : contrast.column + " " + contrast.level,
        std::max(0.0, 100 * contrast.members), std::max(0.0, 100 * contrast.everybody));
  }
  return fmt::format("{} {} (mean {:.3g}, everybody {:.3g})", up ? "higher" : "lower",
                     contrast.column, contrast.members, contrast.everybody);
}

std::string members_in_words(const SegmentProfile& segment) {
  std::vector<std::string> words;
  for (const ContextContrast& one : segment.contrasts) {
    if (std::abs(one.difference) >= kNotable && words.size() < kMostNamed)
      words.push_back(contrast_in_words(one));
  }
  if (words.empty()) return "who: no context column clearly separates them from the others";
  return fmt::format("who: {}", fmt::join(words, ", "));
}

const std::vector<SegmentProfile>* segments_of(const Fitted& fitted) {
  const auto& diagnostics = fitted.report().diagnostics;
  if (!diagnostics || fitted.mixture() == nullptr) return nullptr;
  const std::vector<SegmentProfile>& segments = diagnostics->segments;
  if (std::ssize(segments) != fitted.num_experts()) return nullptr;
  // Another program may have written the model file, so the sizes are checked.
  const bool whole = std::ranges::all_of(segments, [&](const SegmentProfile& one) {
    return std::ssize(one.weights) == fitted.num_factors() || one.weights.empty();
  });
  return whole ? &segments : nullptr;
}

// Computes by how much the weights change if one context column changes and all other columns stay
// at their average.
class Movements {
 public:
  explicit Movements(const Fitted& fitted)
      : fitted_(fitted), average_(fitted.num_factors()), x_(fitted.num_contexts(), 0.0) {
    fitted.weights(x_, average_);
    for (const ContextColumn& column : fitted.encoder().contexts) {
      if (column.kind == ColumnKind::kText) {
        row_.emplace_back(column.levels.empty() ? std::string_view("")
                                                : std::string_view(column.levels.front()));
      } else {
        row_.emplace_back(column.center);
      }
    }
  }

  double average(std::size_t factor) const { return average_[factor]; }

  // Returns the changes of one factor's weight: one change for each number column, and one for each
  // level of a text column.
  std::vector<Change> of_factor(std::size_t factor) {
    std::vector<Change> changes;
    int first = 0;
    for (std::size_t c = 0; c < row_.size(); ++c) {
      const ContextColumn& column = fitted_.encoder().contexts[c];
      if (column.kind == ColumnKind::kNumber && column.scale > 0) {
        add(c, first, column.center + column.scale, factor,
            fmt::format("per {:.3g} of {}", column.scale, column.name), changes);
      }
      for (const std::string& level : column.levels)
        add(c, first, std::string_view(level), factor, fmt::format("for {} {}", column.name, level),
            changes);
      first += column.num_encoded();
    }
    return changes;
  }

 private:
  // Appends the change of the factor's weight if context column c has this value. `first` is the
  // position of the first encoded column of c. `where` says in words which column and value are
  // meant.
  void add(std::size_t c, int first, const RawValue& value, std::size_t factor,
           const std::string& where, std::vector<Change>& changes) {
    std::vector<RawValue> row = row_;
    row[c] = value;
    std::vector<double> encoded(x_.size());
    fitted_.encoder().encode(row, encoded);
    std::vector<double> x(x_.size(), 0.0);
    const int count = fitted_.encoder().contexts[c].num_encoded();
    std::copy_n(encoded.begin() + first, count, x.begin() + first);
    std::vector<double> w(average_.size());
    fitted_.weights(x, w);
    const double change = w[factor] - average_[factor];
    changes.push_back({change * fitted_.encoder().factors[factor].scale,
                       fmt::format("{:+.3g} {}", change, where)});
  }

  const Fitted& fitted_;
  std::vector<double> average_;
  std::vector<double> x_;  // the average context, which is encoded as 0
  std::vector<RawValue> row_;
};

// True if the shares of the experts are the same in every context.
bool has_same_shares(const FitReport& report) {
  const auto* averaged =
      report.choice ? std::get_if<AveragedSettings>(&report.choice->settings) : nullptr;
  return averaged != nullptr && std::ranges::any_of(averaged->tried, [](const TriedMixture& one) {
           return one.same_shares && one.weight > 0;
         });
}

// Returns a text about experts whose shares are the same in every context: what each expert wants,
// relative to the average of all experts.
std::string describe_same_shares(const Fitted& fitted, const std::vector<double>& average) {
  std::string out =
      "Experts: their shares are the same in every context, so the contexts do not tell which rows "
      "follow which expert\n";
  const ShownExperts shown = shown_experts(fitted);
  for (std::size_t i = 0; i < shown.experts.size(); ++i) {
    const auto weights = fitted.mixture()->expert(shown.experts[i]);
    SegmentProfile expert;
    expert.weights.assign(weights.begin(), weights.end());
    out += fmt::format("  expert {}, share {:.0f} %\n    {}\n", shown.experts[i] + 1,
                       100 * shown.shares[i], wants(fitted, average, expert));
  }
  return out;
}

}  // namespace

ShownExperts shown_experts(const Fitted& fitted) {
  ShownExperts shown;
  const auto& diagnostics = fitted.report().diagnostics;
  std::vector<double> shares;
  if (diagnostics && diagnostics->gate) shares = diagnostics->gate->usage;
  if (std::ssize(shares) != fitted.num_experts()) shares.clear();
  for (int k = 0; k < fitted.num_experts(); ++k) {
    if (!shares.empty() && shares[k] < kLeastShownShare) {
      ++shown.num_left_out;
      continue;
    }
    shown.experts.push_back(k);
    if (!shares.empty()) shown.shares.push_back(shares[k]);
  }
  return shown;
}

std::string describe_segments(const Fitted& fitted) {
  const std::vector<SegmentProfile>* segments = segments_of(fitted);
  if (segments == nullptr || segments->size() < 2) return "";
  const std::vector<double> average = average_weights(fitted, *segments);
  const FitReport& report = fitted.report();
  if (has_same_shares(report)) return describe_same_shares(fitted, average);
  const bool proven = report.gain && judge_contexts(report).supported;
  std::string out =
      fmt::format("Segments{}: the contexts in which an expert has the largest share\n",
                  proven ? "" : " (not proven to differ)");
  for (const int k : shown_experts(fitted).experts) {
    const SegmentProfile& segment = (*segments)[k];
    if (segment.weights.empty()) {
      out += fmt::format("  expert {}, share {:.0f} %: the largest share in no context\n", k + 1,
                         100 * segment.share);
      continue;
    }
    out += fmt::format("  expert {}, share {:.0f} %: {:.0f} % of the contexts\n    {}\n    {}\n",
                       k + 1, 100 * segment.share, 100 * segment.members,
                       wants(fitted, average, segment), members_in_words(segment));
  }
  return out;
}

std::string describe_movements(const Fitted& fitted) {
  const bool linear = fitted.method() == Method::kLinear || fitted.method() == Method::kLowRank;
  if (!linear || fitted.num_contexts() == 0) return "";
  Movements movements(fitted);
  std::vector<std::vector<Change>> of_factors;
  double most = 0;
  for (int j = 0; j < fitted.num_factors(); ++j) {
    of_factors.push_back(movements.of_factor(j));
    most = std::max(most, largest_size(of_factors.back()));
  }
  std::string out =
      "How the weights move: for each factor, the context columns that change its weight most\n";
  for (std::size_t j = 0; j < of_factors.size(); ++j) {
    std::vector<Change> changes = of_factors[j];
    for (Change& one : changes) one.size = std::abs(one.size);
    const auto words = largest(changes, +1, std::max(kWorthNaming * most, 1e-12));
    out += fmt::format("  {} {:+.4g}: {}\n", fitted.encoder().factors[j].name, movements.average(j),
                       words.empty() ? "about the same in all contexts"
                                     : fmt::format("{}", fmt::join(words, ", ")));
  }
  return out;
}

}  // namespace otss::app
