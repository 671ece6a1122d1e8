// From a log to a model: the one call most programs need.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "otss/base/options.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/output_family.hpp"

namespace otss {

struct FitOptions {
  std::string method = "otss";
  std::string estimator = "auto";
  std::string deploy = "distilled";
  AutoCount experts;
  std::string gate = "linear";
  bool no_intercept = false;
  std::string family = "bernoulli";
  std::string sign = {};
  std::string bounds = {};
  double validation = 0;
  AutoCount folds;
  bool no_refit = false;
  AutoCount restarts;
  std::uint64_t seed = 1;
  int threads = 0;
  std::shared_ptr<const Fitted> init;  // continue from this model, its experts keep their labels
};

// Describes each option once; `visit` is called with (text, field, Choices | Range), or
// (text, flag).
template <class Options, class Visitor>
void describe_fit_options(Options& options, const Visitor& visit) {
  visit(OptionText{"method",
                   "what to fit: a soft mixture of trade-offs, or a method to compare "
                   "it with (docs/method.md)"},
        options.method,
        Choices{"otss", "pooled", "linear", "low-rank", "mlp", "cluster", "em", "hard", "gbm"});
  visit(OptionText{"estimator",
                   "how to estimate it: an average of penalised maxima (map), of the posterior "
                   "(bayes; auto up "
                   "to 10,000 rows), or as the paper does (paper; paper-wide with more ridges)"},
        options.estimator, Choices{"auto", "map", "bayes", "paper", "paper-wide"});
  visit(OptionText{"deploy",
                   "with bayes: one mixture made of the posterior mean (distilled), or the mean of "
                   "its draws itself"},
        options.deploy, Choices{"distilled", "mean"});
  visit(OptionText{"experts", "number of trade-offs to mix; auto chooses by held-out loss"},
        options.experts, Range{1, 64});
  visit(OptionText{"gate", "how shares depend on the context; auto chooses by held-out loss"},
        options.gate, Choices{"linear", "quadratic", "mlp", "auto"});
  visit(OptionText{"no-intercept", "with --method linear: weights proportional to the context"},
        options.no_intercept);
  visit(OptionText{"family", "distribution of the outcome: 0 or 1, any number, or a count"},
        options.family, Choices(OutputFamily::names()));
  visit(OptionText{"sign", "signs that the weights of factors have in every context"}, options.sign,
        FreeText{"F=+|-,…"});
  visit(OptionText{"bounds", "bounds on the weights of factors, in the log's own units"},
        options.bounds, FreeText{"F=LO:HI,…"});
  visit(OptionText{"validation",
                   "choose settings on this share of the rows (the latest with --time) instead of "
                   "cross-validating"},
        options.validation, Range{0, 0.9});
  visit(OptionText{"folds", "cross-validation folds; auto is 5"}, options.folds, Range{2, 50});
  visit(OptionText{"no-refit",
                   "with --validation or --time: keep the model of the training rows instead of "
                   "fitting the chosen settings on all rows"},
        options.no_refit);
  visit(OptionText{"restarts", "starts tried per number of experts; auto is the spectral one"},
        options.restarts, Range{1, 1000});
  visit(OptionText{"seed", "seed of splits and restarts"}, options.seed,
        Range{0, 9007199254740991.0});
  visit(OptionText{"threads", "threads; 0 takes all cores; the model does not depend on it"},
        options.threads, Range{0, 1024});
}

// Called with how much is done (0 to 1) and what is being done.
using Progress = std::function<void(double fraction, std::string_view what)>;

Fitted fit(const LoggedData& log, const FitOptions& options = {}, const Progress& progress = {});

}  // namespace otss
