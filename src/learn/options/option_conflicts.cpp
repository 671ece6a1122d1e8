#include "learn/options/option_conflicts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "learn/options/option_check.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

using Names = std::vector<std::string>;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::kUsage, what); }

void only_for(bool given, const char* option, const Names& methods, const std::string& method) {
  if (!given || std::ranges::find(methods, method) != methods.end()) return;
  refuse(fmt::format("--{} means nothing for --method {}, only for {}; leave it out", option,
                     method, fmt::join(methods, ", ")));
}

void refuse_meaningless(const FitOptions& options) {
  const std::string& method = options.method;
  only_for(options.experts.value > 1, "experts", {"otss", "cluster", "em", "hard"}, method);
  only_for(!options.restarts.is_auto(), "restarts", {"otss", "mlp", "cluster", "em", "hard"},
           method);
  only_for(options.estimator != FitOptions{}.estimator, "estimator", {"otss"}, method);
  only_for(options.gate != "linear", "gate", {"otss"}, method);
  only_for(options.family != "bernoulli", "family", {"otss", "pooled"}, method);
  only_for(options.deploy != "distilled", "deploy", {"otss"}, method);
  only_for(options.init != nullptr, "init", {"otss"}, method);
  if (!is_paper_recipe(options)) {
    only_for(options.no_refit, "no-refit",
             {"linear", "low-rank", "mlp", "cluster", "em", "hard", "gbm"}, method);
  }
  only_for(!options.sign.empty(), "sign", {"otss", "pooled"}, method);
  only_for(!options.bounds.empty(), "bounds", {"otss", "pooled"}, method);
  only_for(options.no_intercept, "no-intercept", {"linear"}, method);
}

void refuse_beside_paper(const FitOptions& options) {
  if (!is_paper_recipe(options)) return;
  const bool plain = options.gate == "linear" && options.family == "bernoulli" &&
                     options.deploy == "distilled" && options.sign.empty() &&
                     options.bounds.empty() && options.init == nullptr;
  if (!plain)
    refuse(
        "--estimator paper (or paper-wide) is the paper's own recipe: a linear gate, 0/1 outcomes, "
        "nothing to "
        "constrain, deploy or continue; leave the other options out, or take --estimator map");
}

void refuse_contradictions(const LoggedData& log, const FitOptions& options) {
  const bool one_split = options.validation > 0 || !log.times().empty();
  const bool samples = options.estimator == "bayes" || options.deploy == "mean";
  if (options.deploy == "mean" && options.estimator == "map")
    refuse("--deploy mean keeps the mean of posterior draws; it needs --estimator bayes");
  if (options.gate == "mlp" && options.estimator != "auto")
    refuse(fmt::format("--gate mlp is fitted by held-out loss; --estimator {} means nothing there",
                       options.estimator));
  const bool constrained = !options.sign.empty() || !options.bounds.empty();
  if (options.gate == "mlp" && (constrained || options.family != "bernoulli"))
    refuse("--gate mlp takes 0/1 outcomes and unconstrained weights only; use a linear gate");
  if (options.deploy == "mean" && options.gate != "linear")
    refuse("--deploy mean keeps draws of a linear gate; leave out --gate");
  if (options.init != nullptr && options.gate != "linear")
    refuse("--init continues a linear gate; leave out --gate");
  if (samples && one_split) {
    refuse(
        fmt::format("--{} chooses validation rows, but --estimator bayes leaves out each row in "
                    "turn; drop one of the two",
                    options.validation > 0 ? "validation" : "time"));
  }
  if (samples && constrained)
    refuse("--sign and --bounds: draws of the posterior would not obey them; use --estimator map");
  if (options.no_refit && !one_split)
    refuse("--no-refit keeps the model of the training rows; it needs --validation or --time");
  if (options.folds.is_auto()) return;
  if (options.validation > 0) refuse("--folds and --validation exclude each other; give one");
  if (!log.times().empty())
    refuse("--folds and --time exclude each other: with --time the latest rows are held out");
}

}  // namespace

void refuse_conflicts(const LoggedData& log, const FitOptions& options) {
  refuse_meaningless(options);
  refuse_beside_paper(options);
  refuse_contradictions(log, options);
}

}  // namespace otss
