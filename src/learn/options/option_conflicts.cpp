#include "learn/options/option_conflicts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "learn/options/option_check.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

using Methods = std::vector<Method>;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::kUsage, what); }

void only_for(bool given, const char* option, const Methods& methods, Method method) {
  if (!given || std::ranges::find(methods, method) != methods.end()) return;
  std::vector<std::string> words;
  for (const Method one : methods) words.push_back(word(one));
  refuse(
      fmt::format("--{} has no effect with --method {}; leave out --{}, or choose --method "
                  "from: {}",
                  option, word(method), option, fmt::join(words, ", ")));
}

void refuse_meaningless(const FitOptions& options) {
  using enum Method;
  const Method method = fits_segments(options.method) ? kOtss : options.method;
  const FitOptions defaults;
  only_for(options.experts.value > 1, "experts", {kOtss, kCluster, kEm, kHard}, method);
  only_for(!options.restarts.is_auto(), "restarts", {kOtss, kMlp, kCluster, kEm, kHard}, method);
  only_for(options.estimator != defaults.estimator, "estimator", {kOtss}, method);
  only_for(options.gate != defaults.gate, "gate", {kOtss}, method);
  only_for(options.family != defaults.family, "family", {kOtss, kPooled}, method);
  only_for(options.deploy != defaults.deploy, "deploy", {kOtss}, method);
  only_for(options.init != nullptr, "init", {kOtss}, method);
  if (!is_paper_recipe(options)) {
    only_for(options.no_refit, "no-refit", {kLinear, kLowRank, kMlp, kCluster, kEm, kHard, kGbm},
             method);
  }
  only_for(!options.sign.empty(), "sign", {kOtss, kPooled}, method);
  only_for(!options.bounds.empty(), "bounds", {kOtss, kPooled}, method);
  only_for(options.no_intercept, "no-intercept", {kLinear}, method);
}

void refuse_beside_paper(const FitOptions& options) {
  if (!is_paper_recipe(options)) return;
  const bool plain = options.gate == GateChoice::kLinear &&
                     options.family == OutputFamily::kBernoulli &&
                     options.deploy == Deploy::kDistilled && options.sign.empty() &&
                     options.bounds.empty() && options.init == nullptr;
  if (!plain)
    refuse(
        "--estimator paper (or paper-wide) fits only a linear gate to 0/1 outcomes; leave out "
        "--gate, --family, --sign, --bounds, --deploy and --init, or use --estimator map");
}

void refuse_contradictions(const LoggedData& log, const FitOptions& options) {
  const bool one_split = options.validation > 0 || !log.times().empty();
  const bool samples = options.estimator == Estimator::kBayes || options.deploy == Deploy::kMean;
  if (options.deploy == Deploy::kMean && options.estimator == Estimator::kMap)
    refuse(
        "--deploy mean needs posterior draws, which --estimator map does not make; use --estimator "
        "bayes");
  if (options.gate == GateChoice::kMlp && options.estimator != Estimator::kAuto)
    refuse(fmt::format("--gate mlp always uses its own estimator; leave out --estimator {}",
                       word(options.estimator)));
  const bool constrained = !options.sign.empty() || !options.bounds.empty();
  if (options.gate == GateChoice::kMlp &&
      (constrained || options.family != OutputFamily::kBernoulli))
    refuse("--gate mlp supports only 0/1 outcomes, without --sign and --bounds; use --gate linear");
  if (options.deploy == Deploy::kMean && options.gate != GateChoice::kLinear)
    refuse("--deploy mean supports only a linear gate; leave out --gate");
  if (options.init != nullptr && options.gate != GateChoice::kLinear)
    refuse("--init supports only a linear gate; leave out --gate");
  if (samples && one_split) {
    refuse(fmt::format(
        "--{0} holds out one set of rows, but --estimator bayes (and --deploy mean) holds out "
        "single rows; leave out --{0}, or use --estimator map and --deploy distilled",
        options.validation > 0 ? "validation" : "time"));
  }
  if (samples && constrained)
    refuse(
        "--estimator bayes (and --deploy mean) cannot satisfy --sign and --bounds; use --estimator "
        "map and --deploy distilled");
  if (options.no_refit && !one_split)
    refuse(
        "--no-refit keeps the model of the training rows, but without --validation and --time all "
        "rows are training rows; leave out --no-refit, or add --validation SHARE or --time COLUMN");
  if (options.folds.is_auto()) return;
  if (options.validation > 0)
    refuse("--folds and --validation cannot be used together; leave out one of them");
  if (!log.times().empty())
    refuse(
        "--folds and --time cannot be used together, because --time holds out the latest rows; "
        "leave out one of them");
}

}  // namespace

void refuse_conflicts(const LoggedData& log, const FitOptions& options) {
  refuse_meaningless(options);
  refuse_beside_paper(options);
  refuse_contradictions(log, options);
}

}  // namespace otss::internal
