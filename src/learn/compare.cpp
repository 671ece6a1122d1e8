#include "otss/learn/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/bootstrap.hpp"
#include "data/log/tile_matrix.hpp"
#include "learn/comparison_fit.hpp"
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

FitOptions options_for(Method method, const CompareOptions& options) {
  FitOptions fit = method == Method::kOtss ? options.otss : FitOptions{};
  // For OTSS, the method stays options.otss.method. It is kAuto by default, so that the comparison
  // judges what `fit` does by default.
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
  GateUseCounter gate;
  std::vector<double> alpha(fitted.num_experts());
  for (std::size_t i = 0; i < eta.size(); ++i) {
    for (int j = 0; j < p; ++j) x[j] = test.features().at(i, j);
    for (int j = 0; j < test.num_factors(); ++j) z[j] = test.features().at(i, p + j);
    eta[i] = fitted.standardised_predictor(x, z);
    if (fitted.mixture() == nullptr) continue;
    fitted.mixture()->shares(x, alpha);
    gate.add(alpha);
  }
  const PredictedFamily predicted{fitted.family(), fitted.baseline().noise};
  judged.result.quality = prediction_quality(predicted, eta, outcomes, weights);
  if (fitted.mixture() != nullptr) judged.result.gate = gate.result();
  for (std::size_t i = 0; i < eta.size(); ++i) {
    const double loss = predicted.family.log_loss(eta[i], outcomes[i], predicted.noise);
    judged.losses.push_back((weights.empty() ? 1 : weights[i]) * loss);
  }
}

Judged fit_and_judge(const Parts& parts, Method method, const CompareOptions& options) {
  Judged judged;
  judged.result.method = method;
  const auto begin = std::chrono::steady_clock::now();
  const Fitted fitted = fit_for_comparison(parts.fitting, options_for(method, options),
                                           {options.validation, options.refit});
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

std::string verdict(const ComparedMethod& pooled, std::size_t test_rows) {
  const double gain = -pooled.difference;
  const std::string amount =
      fmt::format("{:+.4f} log-loss per row, 95 % interval [{:+.4f}, {:+.4f}], on {} held-out rows",
                  gain, -pooled.difference_hi, -pooled.difference_lo, test_rows);
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

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

Comparison compare(const LoggedData& log, const CompareOptions& options, const Progress& progress) {
  const std::vector<Method> methods = chosen_methods(options);
  const Parts parts = divide(log, options);
  Comparison comparison;
  comparison.test_rows = parts.test.num_rows();
  const auto validation = validation_rows(parts.fitting, options.validation, options.otss.seed);
  comparison.validation_rows = std::count(validation.begin(), validation.end(), 1);
  comparison.training_rows = parts.fitting.num_rows() - comparison.validation_rows;

  std::vector<Judged> judged;
  for (const Method method : methods) {
    if (progress) progress(static_cast<double>(judged.size()) / methods.size(), word(method));
    judged.push_back(fit_and_judge(parts, method, options));
  }
  const auto of = [&](Method method) -> Judged& {
    return *std::ranges::find(judged, method, [](const Judged& j) { return j.result.method; });
  };
  const Judged otss = of(Method::kOtss);
  for (Judged& other : judged) add_difference(parts.test, otss, other);
  comparison.supported = of(Method::kPooled).result.difference_hi < 0;
  comparison.verdict = verdict(of(Method::kPooled).result, comparison.test_rows);
  std::vector<const Judged*> by_loss;
  for (const Judged& j : judged) by_loss.push_back(&j);
  std::ranges::stable_sort(by_loss, {}, [](const Judged* j) { return j->result.quality.log_loss; });
  for (const Judged* j : by_loss) comparison.methods.push_back(j->result);
  if (progress) progress(1, "done");
  return comparison;
}

}  // namespace otss
