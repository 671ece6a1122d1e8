#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "lab/studies/catalogue.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/output/curves.hpp"
#include "lab/studies/output/markdown_table.hpp"
#include "lab/theory/dimension_rates.hpp"
#include "lab/theory/rate_constants.hpp"
#include "lab/theory/slope.hpp"

namespace otss::internal {
namespace {

constexpr int kLearnedFirstLog2 = 10;
constexpr int kLearnedLastLog2 = 15;
constexpr int kDimensionsLog2 = 14;
constexpr const char* kJoint = "joint";

struct LearnedFamily {
  RateShare form;
  const char* name;
  const char* title;
};
constexpr LearnedFamily kFamilies[] = {
    {RateShare::kStraight, "straight", "Straight share, α* = 0.1 + 0.8x"},
    {RateShare::kCurved, "curved", "Curved share, α* = 0.1 + 0.8(3x² − 2x³)"}};

// One dimension is varied at a time; the first world is common to all.
constexpr RateDimensions kDimensions[] = {{},
                                          {.factors = 2},
                                          {.factors = 8},
                                          {.factors = 16},
                                          {.experts = 3},
                                          {.experts = 4},
                                          {.contexts = 1},
                                          {.contexts = 8},
                                          {.contexts = 16}};

MethodResult result_of(const char* name, const RateError& error) {
  MethodResult result{name, {}};
  result.measured.weight_mse = error.weights;
  result.measured.parameter_error = error.parameters;
  result.measured.experts = error.regions;
  return result;
}

std::vector<MethodResult> run_family(std::uint64_t seed, int log2_n, RateShare form) {
  const LearnedRates rates = learned_rates(seed, log2_n, form);
  return {result_of("hard-best", rates.best_regions),
          result_of("hard-chosen", rates.chosen_regions), result_of(kOracleGate, rates.oracle_gate),
          result_of(kJoint, rates.joint), result_of("auto", rates.shipped)};
}

std::vector<MethodResult> run_dimensions(std::uint64_t seed, const RateDimensions& dimensions) {
  const DimensionRates rates = dimension_rates(seed, kDimensionsLog2, dimensions);
  return {result_of(kOracleGate, rates.oracle_gate), result_of(kJoint, rates.joint),
          result_of("auto", rates.shipped)};
}

// The points of one family, in the order of the settings.
std::vector<CurvePoint> family_points(const std::vector<Contest>& contests, std::size_t family) {
  std::vector<CurvePoint> points;
  for (int log2_n = kLearnedFirstLog2; log2_n <= kLearnedLastLog2; ++log2_n) {
    const std::size_t per_family = kLearnedLastLog2 - kLearnedFirstLog2 + 1;
    points.push_back(
        {std::ldexp(1.0, log2_n), &contests[family * per_family + log2_n - kLearnedFirstLog2]});
  }
  return points;
}

std::string slope_of(const std::vector<CurvePoint>& points, std::size_t method) {
  std::vector<RatePoint> errors;
  for (const CurvePoint& point : points)
    errors.push_back({point.value, point.contest->values(method, &Scorecard::weight_mse)});
  if (errors.front().errors.size() < 2 || std::isnan(errors.front().errors.front())) return "";
  const SlopeFit fit = fit_slope(errors);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", fit.slope, fit.lo, fit.hi);
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string error_text(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.3g}", value);
}

std::string family_table(const std::vector<CurvePoint>& points, const RateConstants& constants) {
  const Contest& first = *points.front().contest;
  std::vector<std::string> header = {"n", "joint, by constants"};
  for (const std::string& name : first.names) header.push_back(method_title(name));
  header.insert(header.end(), {"number of regions chosen", "parameter error of joint, median",
                               "its mean, by constants"});
  std::vector<std::vector<std::string>> rows;
  for (const CurvePoint& point : points) {
    const Contest& contest = *point.contest;
    std::vector<std::string> row = {fmt::format("{}", point.value),
                                    error_text(constants.joint / point.value)};
    for (std::size_t e = 0; e < contest.names.size(); ++e)
      row.push_back(error_text(contest.mean(e, &Scorecard::weight_mse)));
    row.push_back(error_text(contest.mean(contest.index("hard-chosen"), &Scorecard::experts)));
    row.push_back(
        error_text(median_of(contest.values(contest.index(kJoint), &Scorecard::parameter_error))));
    row.push_back(error_text(constants.joint_parameters / point.value));
    rows.push_back(std::move(row));
  }
  std::vector<std::string> slopes = {"slope", "-1"};
  for (std::size_t e = 0; e < first.names.size(); ++e) slopes.push_back(slope_of(points, e));
  slopes.insert(slopes.end(), {"", "", "-1"});
  rows.push_back(std::move(slopes));
  return markdown_table(header, rows);
}

// Errors times n, divided by the number of parameters.
std::string dimension_table(const std::vector<Contest>& contests, std::size_t first) {
  const std::vector<std::string> header = {"J",
                                           "K",
                                           "p",
                                           "parameters",
                                           "oracle gate: n error / parameters",
                                           "joint: n error / parameters",
                                           "default: n error / parameters",
                                           "joint: n parameter error / parameters, median"};
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::size(kDimensions); ++i) {
    const RateDimensions& d = kDimensions[i];
    const Contest& contest = contests[first + i];
    const double scale = std::ldexp(1.0, kDimensionsLog2) / d.num_parameters();
    const auto scaled = [&](const char* name) {
      return error_text(scale * contest.mean(contest.index(name), &Scorecard::weight_mse));
    };
    rows.push_back({fmt::format("{}", d.factors), fmt::format("{}", d.experts),
                    fmt::format("{}", d.contexts), fmt::format("{}", d.num_parameters()),
                    scaled(kOracleGate), scaled(kJoint), scaled("auto"),
                    error_text(scale * median_of(contest.values(contest.index(kJoint),
                                                                &Scorecard::parameter_error)))});
  }
  return markdown_table(header, rows);
}

StudyPage present_learned(const Study&, const std::vector<Contest>& contests) {
  StudyPage page;
  Figure figure{.title = "Rates with nothing known",
                .caption = fmt::format("Means over {} independent logs, with 95 % bootstrap bands "
                                       "(BCa).",
                                       contests.front().scores.front().size())};
  for (std::size_t f = 0; f < std::size(kFamilies); ++f) {
    const std::vector<CurvePoint> points = family_points(contests, f);
    page.table += fmt::format("## {}: weight error\n\n{}\n", kFamilies[f].title,
                              family_table(points, rate_constants(kFamilies[f].form)));
    figure.panels.emplace_back(CurvePanel{.title = kFamilies[f].title,
                                          .x_label = "rows n",
                                          .y_label = "weight error",
                                          .log_x = true,
                                          .log_y = true,
                                          .series = method_curves(points, &Scorecard::weight_mse)});
  }
  page.table += fmt::format("## Dimensions, n = {}\n\n{}", 1 << kDimensionsLog2,
                            dimension_table(contests, contests.size() - std::size(kDimensions)));
  page.figures = {{"rates-learned", figure}};
  return page;
}

}  // namespace

Study rates_learned_study() {
  Study study{.name = "rates-learned", .title = "Rates: what is learned instead of known"};
  study.about =
      "The first two families are that of the study `rates`, with a straight and with a curved "
      "share. Hard regions are equal bins with Firth's bias-reduced logistic regression in each: "
      "their number is the best one by the constants of the theory, or it is chosen by five-fold "
      "cross-validation. The oracle gate knows the shares. Joint maximum likelihood fits the "
      "gate σ(g₀ + g₁ logit α*(x)) and the experts from four random starts, none of them "
      "at the truth, with the penalty of about one row; the error of its parameters is that of "
      "the best numbering of the experts. \"auto\" is the default of `otss fit`, which sees x "
      "only. The last table has worlds with J factors, K experts and p context columns, normal "
      "contexts and a softmax gate; parameters are those of gate and experts, K J + (K − 1)(p "
      "+ 1). The theorem bounds the parameter error by a constant times (parameters)/n. "
      "Parameter errors are medians over seeds, because some fits leave the neighbourhood of the "
      "truth that the theorem is about.";
  study.has_validation = false;
  study.reference = "auto";
  study.specification = {{"family", "rates"},
                         {"log2_n", {kLearnedFirstLog2, kLearnedLastLog2}},
                         {"dimensions_log2_n", kDimensionsLog2}};
  for (const LearnedFamily& family : kFamilies) {
    for (int log2_n = kLearnedFirstLog2; log2_n <= kLearnedLastLog2; ++log2_n) {
      study.settings.push_back({fmt::format("{}-n={}", family.name, 1 << log2_n),
                                fmt::format("{}, n = {}", family.title, 1 << log2_n),
                                [log2_n, form = family.form](std::uint64_t seed) {
                                  return run_family(seed, log2_n, form);
                                },
                                {}});
    }
  }
  for (const RateDimensions& d : kDimensions) {
    study.settings.push_back(
        {fmt::format("J={}-K={}-p={}", d.factors, d.experts, d.contexts),
         fmt::format("J = {}, K = {}, p = {}", d.factors, d.experts, d.contexts),
         [d](std::uint64_t seed) { return run_dimensions(seed, d); },
         {}});
  }
  study.present = present_learned;
  return study;
}

}  // namespace otss::internal
