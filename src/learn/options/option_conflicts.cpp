#include "learn/options/option_conflicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

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
  only_for(options.treatment != defaults.treatment, "treatment",
           {kOtss, kLinear, kLowRank, kMlp, kCluster, kEm, kHard, kGbm}, method);
  if (!is_paper_recipe(options) && options.treatment != Treatment::kPick) {
    only_for(options.no_refit, "no-refit", {kLinear, kLowRank, kMlp, kCluster, kEm, kHard, kGbm},
             method);
  }
  only_for(!options.sign.empty(), "sign", {kOtss, kPooled}, method);
  only_for(!options.bounds.empty(), "bounds", {kOtss, kPooled}, method);
  only_for(options.no_intercept, "no-intercept", {kLinear}, method);
}

void refuse_storage_without_gpu(const FitOptions& options) {
  if (options.storage != Storage::kSingle && options.device != Device::kCuda)
    refuse(fmt::format("--storage {} is for the rows on a GPU; add --device cuda, or leave it out",
                       word(options.storage)));
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
  if (options.treatment == Treatment::kAverage)
    refuse(
        "--estimator paper (or paper-wide) picks one setting; leave out --treatment average, or "
        "use --estimator map");
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
  if (samples && options.treatment == Treatment::kPick)
    refuse(
        "--treatment pick picks one penalised fit, but --estimator bayes (and --deploy mean) "
        "averages posterior draws; leave out --treatment, or use --estimator map and --deploy "
        "distilled");
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

void refuse_beside_units(const LoggedData& log, const FitOptions& options) {
  if (log.units().empty()) return;
  if (!fits_segments(options.method) && options.method != Method::kPooled)
    refuse(fmt::format(
        "--unit cannot be combined with --method {}; use --method otss, auto or pooled, or leave "
        "out --unit",
        word(options.method)));
  if (is_paper_recipe(options))
    refuse(fmt::format(
        "--unit cannot be combined with --estimator {}; use --estimator map, or leave out --unit",
        word(options.estimator)));
  if (options.gate == GateChoice::kMlp || options.gate == GateChoice::kAuto)
    refuse(fmt::format(
        "--unit cannot be combined with --gate {}; use --gate linear or --gate quadratic, or leave "
        "out --unit",
        word(options.gate)));
  if (options.deploy == Deploy::kMean)
    refuse("--unit cannot be combined with --deploy mean; leave out one of them");
  if (!options.sign.empty() || !options.bounds.empty())
    refuse(
        "--unit cannot be combined with --sign and --bounds, because the weights of a single unit "
        "could cross a bound; leave out one of them");
}

// Rows of one unit must be held out together when the population is judged, so a group that has a
// row of a unit must have all its rows.
void require_whole_units(const LoggedData& log) {
  if (log.units().empty()) return;
  if (log.num_units() < 2)
    throw Error(
        ErrorCode::kInput,
        fmt::format("unit '{}' is the same in every row; leave out --unit", log.roles().unit));
  if (log.groups().empty()) return;
  constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> group_of(log.num_units(), kUnknown);
  for (std::size_t row = 0; row < log.num_rows(); ++row) {
    std::uint32_t& group = group_of[log.units()[row]];
    if (group == kUnknown) group = log.groups()[row];
    if (group == log.groups()[row]) continue;
    throw Error(
        ErrorCode::kInput,
        fmt::format("--group {0} cuts units: rows of {1} '{2}' are in several groups, the first "
                    "in row {3}; leave out --group, because --unit keeps units together, or use a "
                    "column whose groups have whole units",
                    log.roles().group, log.roles().unit, log.unit_names()[log.units()[row]],
                    row + 1));
  }
}

}  // namespace

void refuse_conflicts(const LoggedData& log, const FitOptions& options) {
  refuse_meaningless(options);
  refuse_beside_paper(options);
  refuse_storage_without_gpu(options);
  refuse_contradictions(log, options);
  refuse_beside_units(log, options);
  require_whole_units(log);
}

}  // namespace otss::internal
