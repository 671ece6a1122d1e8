#include "lab/theory/rates.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "lab/studies/catalogue.hpp"
#include "lab/studies/output/markdown_table.hpp"
#include "lab/studies/output/present.hpp"
#include "lab/theory/pseudo_truth.hpp"
#include "lab/theory/rate_constants.hpp"
#include "lab/theory/rate_family.hpp"
#include "lab/theory/slope.hpp"

namespace otss::internal {
namespace {

struct RateMethod {
  const char* name;  // name in results.csv
  const char* title;
  const char* theory;
  // The slope is fitted only to points with n >= 2^first_log2, because the theory is about large n.
  int first_log2;
};

// The methods, in the order of kRateMethods.
constexpr RateMethod kMethods[] = {
    {"hard", "hard regions", "-2/3", kRateFirstLog2},
    {"hard-plain", "hard regions, plain likelihood", "", kRateFirstLog2},
    {kOracleGate, "oracle gate", "-1", kRateFirstLog2},
    {"otss", "joint OTSS", "-1", kRateFirstLog2Joint},
    {"otss-gate-in-x", "joint OTSS, gate in x", "", kRateFirstLog2Joint}};
static_assert(std::size(kMethods) == kRateMethods.size());

double rows_of_setting(std::size_t setting) {
  return std::ldexp(1.0, kRateFirstLog2 + static_cast<int>(setting));
}

std::vector<RatePoint> points(const std::vector<Contest>& contests, std::size_t method) {
  std::vector<RatePoint> result;
  for (std::size_t s = 0; s < contests.size(); ++s)
    result.push_back({rows_of_setting(s), contests[s].values(method, &Scorecard::weight_mse)});
  return result;
}

// Fits the slope of a method to the points with n >= 2^first_log2 only.
SlopeFit slope(const std::vector<Contest>& contests, std::size_t method) {
  const std::vector<RatePoint> all = points(contests, method);
  return fit_slope(std::span(all).subspan(kMethods[method].first_log2 - kRateFirstLog2));
}

std::string slope_table(const std::vector<Contest>& contests) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t e = 0; e < std::size(kMethods); ++e) {
    const SlopeFit fit = slope(contests, e);
    rows.push_back({kMethods[e].title, kMethods[e].theory,
                    fmt::format("{:.3f} [{:.3f}, {:.3f}]", fit.slope, fit.lo, fit.hi),
                    fmt::format("{:.3f}", fit.hi - fit.lo),
                    fmt::format("n ≥ 2^{}", kMethods[e].first_log2)});
  }
  return markdown_table({"estimator", "theory", "slope [95 % interval]", "width", "points"}, rows);
}

std::string error_table(const std::vector<Contest>& contests, const RateConstants& constants) {
  std::vector<std::string> header = {"n",
                                     "M",
                                     "least error of M regions",
                                     "hard, by constants",
                                     "oracle gate, by constants",
                                     "joint, by constants"};
  for (const RateMethod& method : kMethods) header.emplace_back(method.title);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t s = 0; s < contests.size(); ++s) {
    const double n = rows_of_setting(s);
    const int regions = rate_regions(static_cast<std::size_t>(n));
    const auto text = [](double value) { return fmt::format("{:.3g}", value); };
    std::vector<std::string> row = {
        fmt::format("{:.0f}", n),
        fmt::format("{}", regions),
        text(constants.floor / (regions * regions)),
        text(expected_hard_error(constants, static_cast<std::size_t>(n), regions)),
        text(constants.oracle_gate / n),
        text(constants.joint / n)};
    for (std::size_t e = 0; e < std::size(kMethods); ++e) {
      row.push_back(fmt::format("{:.3g} ± {:.2g}", contests[s].mean(e, &Scorecard::weight_mse),
                                contests[s].deviation(e, &Scorecard::weight_mse)));
    }
    rows.push_back(std::move(row));
  }
  return markdown_table(header, rows);
}

Series measured_series(const std::vector<Contest>& contests, std::size_t method) {
  Series series{.name = kMethods[method].title, .line = false};
  for (const RatePoint& point : points(contests, method)) {
    const Interval interval = bootstrap_ratio(point.errors, {});
    series.x.push_back(point.n);
    series.y.push_back(point.mean());
    series.lo.push_back(interval.lo);
    series.hi.push_back(interval.hi);
  }
  return series;
}

Series line(std::string name, double first, const std::function<double(double n)>& at) {
  Series series{.name = std::move(name), .points = false, .dashed = true};
  for (double n = first; n <= std::ldexp(1.0, kRateLastLog2); n *= 2) {
    series.x.push_back(n);
    series.y.push_back(at(n));
  }
  return series;
}

Figure error_figure(const std::vector<Contest>& contests, const RateConstants& constants) {
  CurvePanel panel{.title = "Weight error against sample size",
                   .x_label = "rows n",
                   .y_label = "weight error",
                   .log_x = true,
                   .log_y = true};
  for (std::size_t e = 0; e < std::size(kMethods); ++e) {
    panel.series.push_back(measured_series(contests, e));
    const SlopeFit fit = slope(contests, e);
    panel.series.push_back(line(fmt::format("{}, slope {:.2f}", kMethods[e].title, fit.slope),
                                std::ldexp(1.0, kMethods[e].first_log2), [fit](double n) {
                                  return std::exp(fit.intercept) * std::pow(n, fit.slope);
                                }));
  }
  panel.series.push_back(
      line("least error of M regions", std::ldexp(1.0, kRateFirstLog2), [&](double n) {
        const int regions = rate_regions(static_cast<std::size_t>(n));
        return constants.floor / (regions * regions);
      }));
  return {
      .title = "Hard regions learn at n^(−2/3), soft mixtures at 1/n",
      .caption = fmt::format("Each point is a mean over {} independent logs, with its 95 % "
                             "interval. Coloured lines are least-squares fits. No partition into M "
                             "regions can have an error below the grey line.",
                             contests.front().scores.front().size()),
      .panels = {panel}};
}

std::string crossover_text(const RateConstants& constants) {
  const double best = best_region_width(constants);
  const double hard = balanced_hard_constant(constants, best);
  const double usual = balanced_hard_constant(constants, kRateRegionWidth);
  const int first = 1 << kRateFirstLog2;
  const int last = 1 << kRateLastLog2;
  const auto ratio = [&](double hard_constant, int n) {
    return hard_constant * std::cbrt(n) / constants.oracle_gate;
  };
  return fmt::format(
      "The theory predicts these weight errors for n rows: {:.4f}/M² + {:.2f} M/n for M "
      "equal bins, which is {:.3g} n^(−2/3) with the best number of bins, M = {:.2f} "
      "n^(1/3), and {:.3g} n^(−2/3) with M = 0.8 n^(1/3); {:.2f}/n for the oracle gate; "
      "{:.2f}/n for the joint estimator. So with more than {:.0f} rows the oracle gate is "
      "better than the best number of bins, and with more than {:.0f} rows the joint "
      "estimator is better than it too. Against M = 0.8 n^(1/3) bins these numbers of rows "
      "are {:.0f} and {:.0f}. The error of the best number of bins is {:.1f} times that of "
      "the oracle gate at {} rows, and {:.1f} times at {} rows; that of M = 0.8 n^(1/3) "
      "bins {:.1f} and {:.1f} times.\n",
      constants.floor, constants.variance, hard, best, usual, constants.oracle_gate,
      constants.joint, crossover(hard, constants.oracle_gate), crossover(hard, constants.joint),
      crossover(usual, constants.oracle_gate), crossover(usual, constants.joint),
      ratio(hard, first), first, ratio(hard, last), last, ratio(usual, first), ratio(usual, last));
}

// The largest number of bins for which the compatibility of pseudo-truths is shown.
constexpr int kMostPseudoRegions = 8;

std::string pseudo_truth_text() {
  return fmt::format(
      "With more rows, the fit of a bin approaches not the mean of w* in the bin, but the "
      "weights with the lowest expected loss there, the bin's pseudo-truth. For M = 1 to "
      "{} equal bins, the error of the pseudo-truths is at most C/M² with C = {:.4f}, and "
      "with C = {:.4f} if the share is curved (0.1 + 0.8(3x² − 2x³)). To first order in "
      "1/M, the means of the bins have C = {:.4f} and {:.4f}.\n",
      kMostPseudoRegions, compatibility_constant(kMostPseudoRegions, RateShare::kStraight),
      compatibility_constant(kMostPseudoRegions, RateShare::kCurved),
      rate_constants(RateShare::kStraight).floor, rate_constants(RateShare::kCurved).floor);
}

StudyPage present_rates(const Study&, const std::vector<Contest>& contests) {
  const RateConstants constants = rate_constants();
  StudyPage page;
  const std::string errors = fmt::format(
      "## Weight error\n\n{}\nThe column \"least error of M regions\" and the columns \"by "
      "constants\" are what the theory predicts (docs/theory.md). The other columns were "
      "measured.\n\n"
      "## Crossover\n\n{}\n## Pseudo-truths\n\n{}",
      error_table(contests, constants), crossover_text(constants), pseudo_truth_text());
  if (contests.front().scores.front().size() < 2) {
    page.table =
        "There are no slopes and no figure, because they need at least two seeds; use --seeds 2 or "
        "more.\n\n" +
        errors;
    return page;
  }
  page.table = fmt::format("## Slopes of log(error) against log(n)\n\n{}\n{}",
                           slope_table(contests), errors);
  page.figures = {{"rates", error_figure(contests, constants)}};
  return page;
}

std::vector<MethodResult> run(std::uint64_t seed, int log2_n) {
  const RateErrors errors = rate_errors(seed, log2_n);
  std::vector<MethodResult> results;
  for (std::size_t e = 0; e < errors.size(); ++e) {
    results.push_back({kMethods[e].name, {}});
    results.back().measured.weight_mse = errors[e];
  }
  return results;
}

}  // namespace

Study rates_study() {
  Study study{.name = "rates", .title = "Rates: hard regions against soft mixtures"};
  study.about =
      "The world is the smallest one in which experts overlap: one context column x, uniform on "
      "[0, 1], two experts, of which the first has the share 0.1 + 0.8x, and four factors. Weight "
      "error is integrated exactly over x. \"Hard regions\" divides [0, 1] into M = 0.8 n^(1/3) "
      "equal bins and fits a logistic regression in each bin, by Firth's bias-reduced likelihood. "
      "With the plain likelihood, the error in small bins is larger, which changes the slope. The "
      "oracle gate knows the shares. \"Joint OTSS\" fits a gate of the true form, "
      "σ(g₀ + g₁ logit α*(x)), and the experts together. The gate in x, σ(g₀ + g₁x), is what a "
      "user would fit; it cannot represent the true shares exactly. Logs of different n are "
      "independent. No setting is chosen, so there are no validation rows.";
  study.has_validation = false;
  study.specification = {{"family", "rates"}, {"log2_n", {kRateFirstLog2, kRateLastLog2}}};
  for (int log2_n = kRateFirstLog2; log2_n <= kRateLastLog2; ++log2_n) {
    study.settings.push_back({fmt::format("n={}", 1 << log2_n),
                              fmt::format("n = {}", 1 << log2_n),
                              [log2_n](std::uint64_t seed) { return run(seed, log2_n); },
                              {}});
  }
  study.present = present_rates;
  return study;
}

}  // namespace otss::internal
