#include "otss/learn/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>

#include "base/bootstrap.hpp"
#include "base/threads.hpp"
#include "data/log/tile_matrix.hpp"
#include "learn/comparison_fit.hpp"
#include "learn/corrected_mean.hpp"
#include "otss/base/error.hpp"
#include "otss/data/splits.hpp"

namespace otss::internal {
namespace {

// Returns the methods that can be fitted to outcomes of this family.
std::vector<Method> all_methods(OutputFamily family) {
  if (family != OutputFamily::kBernoulli) return {Method::kPooled, Method::kOtss};
  return {Method::kPooled, Method::kLinear, Method::kLowRank, Method::kMlp, Method::kCluster,
          Method::kEm,     Method::kHard,   Method::kGbm,     Method::kOtss};
}

// Holds the rows that methods are fitted on, and the test rows. fit() itself draws the validation
// rows from `fitting`, with the same seed for every method.
struct Parts {
  LoggedData fitting, test;
};

LoggedData rows_where(const LoggedData& log, const std::vector<std::uint8_t>& mask, int value) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] == value) rows.push_back(i);
  }
  return rows_of(log, rows);
}

Parts divide(const LoggedData& log, const CompareOptions& options) {
  // This seed gives a random stream that differs from the stream of the validation rows.
  const auto mask = validation_rows(log, options.test, options.otss.seed + 0x7E57);
  return {rows_where(log, mask, 0), rows_where(log, mask, 1)};
}

// A row of the comparison: a method with a treatment of its settings.
struct Competitor {
  Method method;
  std::optional<Treatment> treatment;  // absent for the pooled model
};

FitOptions options_for(Method method, const CompareOptions& options) {
  FitOptions fit = method == Method::kOtss ? options.otss : FitOptions{};
  // For OTSS, the method stays options.otss.method. This method is kAuto by default, so that the
  // comparison judges what `fit` does by default.
  if (method != Method::kOtss) fit.method = method;
  fit.family = options.otss.family;
  fit.seed = options.otss.seed;
  fit.threads = options.otss.threads;
  return fit;
}

struct Judged {
  ComparedMethod result;
  std::vector<double> losses;  // weighted loss of each test row
};

// Evaluates a fitted model on the test rows and writes the result to `judged`. Precondition: `test`
// has the same encoding as the rows that the model was fitted on.
void judge(const Fitted& fitted, const LoggedData& test, Judged& judged) {
  const int p = test.num_contexts();
  const std::vector<double> outcomes(test.outcomes().begin(), test.outcomes().end());
  const std::vector<double> weights(test.weights().begin(), test.weights().end());
  std::vector<double> x(p);
  std::vector<double> z(test.num_factors());
  std::vector<double> eta(test.num_rows());
  // The experts of an average are those of its members, which have no common order or number.
  const bool has_gate =
      fitted.mixture() != nullptr && fitted.mixture()->gate_kind() != GateKind::kAverage;
  GateUseCounter gate;
  std::vector<double> alpha(fitted.num_experts());
  for (std::size_t i = 0; i < eta.size(); ++i) {
    for (int j = 0; j < p; ++j) x[j] = test.features().at(i, j);
    for (int j = 0; j < test.num_factors(); ++j) z[j] = test.features().at(i, p + j);
    eta[i] = fitted.standardised_predictor(x, z);
    if (!has_gate) continue;
    fitted.mixture()->shares(x, alpha);
    gate.add(alpha);
  }
  const PredictedFamily predicted{fitted.family(), fitted.baseline().noise};
  judged.result.quality = prediction_quality(predicted, eta, outcomes, weights);
  if (has_gate) judged.result.gate = gate.result();
  for (std::size_t i = 0; i < eta.size(); ++i) {
    const double loss = predicted.family.log_loss(eta[i], outcomes[i], predicted.noise);
    judged.losses.push_back((weights.empty() ? 1 : weights[i]) * loss);
  }
}

Judged fit_and_judge(const Parts& parts, const Competitor& competitor,
                     const CompareOptions& options) {
  Judged judged;
  judged.result.method = competitor.method;
  judged.result.treatment = competitor.treatment;
  const auto begin = std::chrono::steady_clock::now();
  const Fitted fitted = fit_for_comparison(
      parts.fitting, options_for(competitor.method, options),
      {options.validation, options.refit, competitor.treatment.value_or(Treatment::kAverage)});
  judged.result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  judge(fitted, parts.test, judged);
  return judged;
}

// Returns the sum of `per_row` for each independent unit: for each group, or for each row if the
// log has no groups.
std::vector<double> by_unit(const LoggedData& test, const std::vector<double>& per_row) {
  if (test.groups().empty()) return per_row;
  std::vector<double> sums(test.num_groups(), 0.0);
  for (std::size_t i = 0; i < per_row.size(); ++i) sums[test.groups()[i]] += per_row[i];
  return sums;
}

void add_difference(const LoggedData& test, const Judged& otss, Judged& other) {
  std::vector<double> difference = otss.losses;
  std::vector<double> weights(difference.size(), 1.0);
  if (!test.weights().empty()) weights.assign(test.weights().begin(), test.weights().end());
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= other.losses[i];
  other.result.difference = otss.result.quality.log_loss - other.result.quality.log_loss;
  const Interval interval = bootstrap_ratio(by_unit(test, difference), by_unit(test, weights));
  other.result.difference_lo = interval.lo;
  other.result.difference_hi = interval.hi;
}

std::string verdict(const ComparedMethod& pooled, const Comparison& comparison) {
  const double gain = -pooled.difference;
  const std::string amount = fmt::format(
      "{:+.4f} log-loss per row, 95 % interval [{:+.4f}, {:+.4f}], on {}", gain,
      -pooled.difference_hi, -pooled.difference_lo,
      comparison.repeats > 1 ? fmt::format("the held-out rows of {} splits", comparison.repeats)
                             : fmt::format("{} held-out rows", comparison.test_rows));
  if (pooled.difference_hi < 0)
    return fmt::format(
        "Soft segmentation is supported by this log: it predicts better than one "
        "trade-off for everybody by {}.",
        amount);
  return fmt::format(
      "Soft segmentation is not supported by this log: its gain over one trade-off for everybody "
      "is {}.",
      amount);
}

std::string in_words(const std::vector<Method>& methods) {
  std::vector<std::string> words;
  for (const Method method : methods) words.push_back(word(method));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<Method> chosen_methods(const CompareOptions& options) {
  const std::vector<Method> all = all_methods(options.otss.family);
  std::vector<Method> methods = options.methods.empty() ? all : options.methods;
  for (const Method method : methods) {
    if (std::ranges::find(all, method) == all.end()) {
      throw Error(
          ErrorCode::kUsage,
          fmt::format("--methods: '{}' cannot be fitted with this --family; choose among {}",
                      word(method), in_words(all)));
    }
    if (std::ranges::count(methods, method) > 1)
      throw Error(ErrorCode::kUsage,
                  fmt::format("--methods: '{}' is named twice; name it once", word(method)));
  }
  // Every comparison needs the pooled model and OTSS.
  for (const Method needed : {Method::kPooled, Method::kOtss}) {
    if (std::ranges::find(methods, needed) == methods.end()) methods.push_back(needed);
  }
  return methods;
}

std::vector<Competitor> competitors_of(const CompareOptions& options) {
  const std::vector<Treatment>& treatments = options.treatments;
  if (treatments.empty() || std::ranges::count(treatments, Treatment::kAuto) > 0 ||
      std::ranges::count(treatments, treatments.front()) > 1)
    throw Error(ErrorCode::kUsage, "--treatments: give pick, average or both, each once");
  std::vector<Competitor> competitors;
  for (const Method method : chosen_methods(options)) {
    const FitOptions fit = options_for(method, options);
    if (method == Method::kPooled) {
      competitors.push_back({method, std::nullopt});
    } else if (!has_both_treatments(fit)) {
      competitors.push_back({method, customary_treatment(fit)});
    } else {
      for (const Treatment treatment : treatments) competitors.push_back({method, treatment});
    }
  }
  return competitors;
}

// Returns the index of OTSS with the same treatment, or with the last treatment if there is none.
std::size_t otss_beside(const std::vector<Competitor>& competitors, const Competitor& one) {
  std::size_t found = 0;
  for (std::size_t c = 0; c < competitors.size(); ++c) {
    if (competitors[c].method != Method::kOtss) continue;
    found = c;
    if (competitors[c].treatment == one.treatment) break;
  }
  return found;
}

// The results of all methods on one split.
struct JudgedSplit {
  std::size_t training_rows = 0, validation_rows = 0, test_rows = 0;
  std::vector<Judged> judged;  // one result per competitor, in their order

  double test_to_train() const {
    return static_cast<double>(test_rows) / static_cast<double>(training_rows + validation_rows);
  }
};

// Fits and judges all competitors on one split. `report` is called with each method that is done.
JudgedSplit judge_split(const LoggedData& log, const std::vector<Competitor>& competitors,
                        const CompareOptions& options, const std::function<void(Method)>& report) {
  const Parts parts = divide(log, options);
  JudgedSplit split;
  split.test_rows = parts.test.num_rows();
  const auto validation = validation_rows(parts.fitting, options.validation, options.otss.seed);
  split.validation_rows = std::count(validation.begin(), validation.end(), 1);
  split.training_rows = parts.fitting.num_rows() - split.validation_rows;
  split.judged.resize(competitors.size());
  // The last methods come first, because they take longest (all_methods). If they started last, the
  // other threads would wait for them at the end.
  parallel_for(competitors.size(), options.otss.threads, [&](std::size_t task) {
    const std::size_t c = competitors.size() - 1 - task;
    split.judged[c] = fit_and_judge(parts, competitors[c], options);
    report(competitors[c].method);
  });
  const std::vector<Judged> found = split.judged;
  parallel_for(competitors.size(), options.otss.threads, [&](std::size_t c) {
    add_difference(parts.test, found[otss_beside(competitors, competitors[c])], split.judged[c]);
  });
  return split;
}

PredictionQuality mean_quality(const std::vector<JudgedSplit>& splits, std::size_t method) {
  PredictionQuality mean;
  const auto share = 1 / static_cast<double>(splits.size());
  for (const JudgedSplit& split : splits) {
    const PredictionQuality& one = split.judged[method].result.quality;
    for (const auto field : {&PredictionQuality::log_loss, &PredictionQuality::squared_error,
                             &PredictionQuality::deviance, &PredictionQuality::explained,
                             &PredictionQuality::auc, &PredictionQuality::calibration_slope})
      mean.*field += share * one.*field;
  }
  return mean;
}

// Returns the log-loss of one method minus that of another, in each split.
std::vector<double> loss_differences(const std::vector<JudgedSplit>& splits, std::size_t method,
                                     std::size_t other) {
  std::vector<double> differences;
  for (const JudgedSplit& split : splits) {
    differences.push_back(split.judged[method].result.quality.log_loss -
                          split.judged[other].result.quality.log_loss);
  }
  return differences;
}

ComparedMethod mean_result(const std::vector<JudgedSplit>& splits, std::size_t method) {
  ComparedMethod mean = splits.front().judged[method].result;
  mean.quality = mean_quality(splits, method);
  const auto count = static_cast<double>(splits.size());
  mean.seconds = 0;
  if (mean.gate) mean.gate = GateUse{};
  for (const JudgedSplit& split : splits) {
    const ComparedMethod& one = split.judged[method].result;
    mean.seconds += one.seconds / count;
    if (!one.gate) continue;
    mean.gate->entropy += one.gate->entropy / count;
    mean.gate->effective_experts += one.gate->effective_experts / count;
    mean.gate->effective_experts_overall += one.gate->effective_experts_overall / count;
  }
  return mean;
}

// Combines the results of several splits. The corrected standard error (corrected_mean.hpp) uses
// the mean ratio of test rows to training rows.
std::vector<ComparedMethod> combine(const std::vector<JudgedSplit>& splits,
                                    const std::vector<Competitor>& competitors) {
  double ratio = 0;
  for (const JudgedSplit& split : splits) ratio += split.test_to_train() / splits.size();
  std::vector<ComparedMethod> results;
  for (std::size_t m = 0; m < competitors.size(); ++m) results.push_back(mean_result(splits, m));
  const auto loss = [](const ComparedMethod& result) { return result.quality.log_loss; };
  const std::size_t best = std::ranges::min_element(results, {}, loss) - results.begin();
  for (std::size_t m = 0; m < competitors.size(); ++m) {
    const std::size_t otss = otss_beside(competitors, competitors[m]);
    const CorrectedMean behind = corrected_mean(loss_differences(splits, m, best), ratio);
    const CorrectedMean gap = corrected_mean(loss_differences(splits, otss, m), ratio);
    std::vector<double> losses;
    for (const JudgedSplit& split : splits) losses.push_back(loss(split.judged[m].result));
    results[m].repeated = {corrected_mean(losses, ratio).standard_error, behind.mean,
                           behind.interval.lo, behind.interval.hi};
    results[m].difference = gap.mean;
    results[m].difference_lo = gap.interval.lo;
    results[m].difference_hi = gap.interval.hi;
  }
  return results;
}

void check_repeats(const LoggedData& log, const CompareOptions& options) {
  if (options.repeats < 1 || options.repeats > CompareOptions::kMostRepeats) {
    throw Error(ErrorCode::kUsage, fmt::format("--repeats {}: give a number from 1 to {}",
                                               options.repeats, CompareOptions::kMostRepeats));
  }
  if (options.repeats > 1 && !log.times().empty()) {
    throw Error(ErrorCode::kUsage,
                "--repeats cannot be combined with --time, because the test rows are always the "
                "latest rows; leave out --repeats or --time");
  }
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::string ComparedMethod::name() const {
  const bool customary =
      !treatment || *treatment == (fits_segments(method) ? Treatment::kAverage : Treatment::kPick);
  return customary ? word(method) : word(method) + "-" + word(*treatment);
}

Comparison compare(const LoggedData& log, const CompareOptions& options, const Progress& progress) {
  const std::vector<Competitor> competitors = competitors_of(options);
  check_repeats(log, options);
  std::vector<JudgedSplit> splits(options.repeats);
  std::mutex progress_mutex;
  std::size_t done = 0;
  const auto report = [&](Method method) {
    const std::lock_guard lock(progress_mutex);
    ++done;
    const auto all = static_cast<double>(competitors.size() * splits.size());
    if (progress) progress(static_cast<double>(done) / all, word(method));
  };
  if (progress) progress(0, word(competitors.front().method));
  parallel_for(splits.size(), options.otss.threads, [&](std::size_t repeat) {
    CompareOptions of_split = options;
    of_split.otss.seed += repeat;
    splits[repeat] = judge_split(log, competitors, of_split, report);
  });
  const JudgedSplit& first = splits.front();
  Comparison comparison;
  comparison.repeats = options.repeats;
  comparison.training_rows = first.training_rows;
  comparison.validation_rows = first.validation_rows;
  comparison.test_rows = first.test_rows;
  std::vector<ComparedMethod> results;
  if (splits.size() > 1) {
    results = combine(splits, competitors);
  } else {
    for (const Judged& judged : first.judged) results.push_back(judged.result);
  }
  const ComparedMethod& pooled =
      *std::ranges::find(results, Method::kPooled, &ComparedMethod::method);
  comparison.supported = pooled.difference_hi < 0;
  comparison.verdict = verdict(pooled, comparison);
  std::vector<const ComparedMethod*> by_loss;
  for (const ComparedMethod& result : results) by_loss.push_back(&result);
  std::ranges::stable_sort(by_loss, {},
                           [](const ComparedMethod* one) { return one->quality.log_loss; });
  for (const ComparedMethod* result : by_loss) comparison.methods.push_back(*result);
  if (progress) progress(1, "done");
  return comparison;
}

}  // namespace otss
