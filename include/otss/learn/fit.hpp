// From a log to a model: the one call most programs need.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "otss/base/options.hpp"
#include "otss/base/progress.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/method.hpp"
#include "otss/model/output_family.hpp"

namespace otss {

// How the shares of the experts are to depend on the context.
enum class GateChoice {
  kLinear,
  kQuadratic,
  kMlp,
  kAuto  // by held-out loss
};

constexpr auto word_table(GateChoice) {
  return std::to_array<WordOf<GateChoice>>({{GateChoice::kLinear, "linear"},
                                            {GateChoice::kQuadratic, "quadratic"},
                                            {GateChoice::kMlp, "mlp"},
                                            {GateChoice::kAuto, "auto"}});
}

// What is kept of an average over the posterior.
enum class Deploy {
  kDistilled,  // one mixture that stands for it
  kMean        // the mean of its draws itself
};

constexpr auto word_table(Deploy) {
  return std::to_array<WordOf<Deploy>>(
      {{Deploy::kDistilled, "distilled"}, {Deploy::kMean, "mean"}});
}

struct FitOptions {
  Method method = Method::kOtss;
  Estimator estimator = Estimator::kAuto;
  Deploy deploy = Deploy::kDistilled;
  AutoCount experts;
  GateChoice gate = GateChoice::kLinear;
  bool no_intercept = false;
  OutputFamily family;
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
        options.method, words_of<Method>());
  visit(OptionText{"estimator",
                   "how to estimate it: an average of penalised maxima (map), of the posterior "
                   "(bayes; auto up "
                   "to 10,000 rows without --group, --time and --validation), or as the paper does "
                   "(paper; paper-wide with more ridges)"},
        options.estimator, words_of<Estimator>());
  visit(OptionText{"deploy",
                   "with bayes: one mixture made of the posterior mean (distilled), or the mean of "
                   "its draws itself"},
        options.deploy, words_of<Deploy>());
  visit(OptionText{"experts", "number of trade-offs to mix; auto chooses by held-out loss"},
        options.experts, Range{1, 64});
  visit(OptionText{"gate", "how shares depend on the context; auto chooses by held-out loss"},
        options.gate, words_of<GateChoice>());
  visit(OptionText{"no-intercept", "with --method linear: weights proportional to the context"},
        options.no_intercept);
  visit(OptionText{"family", "distribution of the outcome: 0 or 1, any number, or a count"},
        options.family, words_of<OutputFamily>());
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
  visit(OptionText{"threads", "threads; 0 takes all cores; the model does not depend on it",
                   Recorded::kNo},
        options.threads, Range{0, 1024});
}

Fitted fit(const LoggedData& log, const FitOptions& options = {}, const Progress& progress = {});

}  // namespace otss
