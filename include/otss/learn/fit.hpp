// Fits a model to a log.
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

// The form in which the average of the posterior draws is deployed.
enum class Deploy {
  kDistilled,  // one mixture fitted to the average
  kMean        // the average itself, which has the experts of many draws
};

constexpr auto word_table(Deploy) {
  return std::to_array<WordOf<Deploy>>(
      {{Deploy::kDistilled, "distilled"}, {Deploy::kMean, "mean"}});
}

// The options of a fit. describe_fit_options() documents each field.
struct FitOptions {
  Method method = Method::kAuto;
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
  // The model that the fit starts from; its experts keep their order.
  std::shared_ptr<const Fitted> init;
};

// The only description of each option; the help texts and the range checks are made from it. Calls
// visit(text, field, Choices | Range | FreeText) for each option, or visit(text, flag) for a bool.
template <class Options, class Visitor>
void describe_fit_options(Options& options, const Visitor& visit) {
  visit(OptionText{"method",
                   "what to fit: auto, soft segments averaged with weights that are linear in the "
                   "context; otss, soft segments only; or a comparison method (docs/method.md)"},
        options.method, words_of<Method>());
  visit(OptionText{"estimator",
                   "how to estimate the mixture: average of penalised fits (map), average of "
                   "posterior draws (bayes), the method of the paper (paper), the method of the "
                   "paper with more ridges (paper-wide); auto is bayes up to 10,000 rows without "
                   "--group, --time and --validation, else map"},
        options.estimator, words_of<Estimator>());
  visit(OptionText{"deploy",
                   "with bayes: one mixture fitted to the posterior mean (distilled), or the mean "
                   "of the draws itself (mean)"},
        options.deploy, words_of<Deploy>());
  visit(OptionText{"experts", "number of experts (trade-offs); auto chooses by held-out loss"},
        options.experts, Range{1, 64});
  visit(OptionText{"gate",
                   "how the experts' shares depend on the context; auto chooses by "
                   "held-out loss"},
        options.gate, words_of<GateChoice>());
  visit(OptionText{"no-intercept", "with --method linear: w(x) = A x, without a constant term"},
        options.no_intercept);
  visit(OptionText{"family",
                   "distribution of the outcome: bernoulli (0 or 1), gaussian (any "
                   "number) or poisson (a count)"},
        options.family, words_of<OutputFamily>());
  visit(OptionText{"sign", "required signs of factors' weights, in every context"}, options.sign,
        FreeText{"F=+|-,…"});
  visit(OptionText{"bounds", "bounds on factors' weights, in the units of the log"}, options.bounds,
        FreeText{"F=LO:HI,…"});
  visit(OptionText{"validation",
                   "choose settings on this share of the rows (the latest with --time) instead of "
                   "cross-validating"},
        options.validation, Range{0, 0.9});
  visit(OptionText{"folds", "number of cross-validation folds; auto is 5"}, options.folds,
        Range{2, 50});
  visit(OptionText{"no-refit",
                   "with --validation or --time: keep the model fitted on the training rows, do "
                   "not refit it on all rows"},
        options.no_refit);
  visit(OptionText{"restarts",
                   "number of starting points per number of experts; auto lets the method choose"},
        options.restarts, Range{1, 1000});
  visit(OptionText{"seed", "seed of all random choices: splits, starting points, draws"},
        options.seed, Range{0, 9007199254740991.0});
  visit(OptionText{"threads", "number of threads; 0 is all cores; the model does not depend on it",
                   Recorded::kNo},
        options.threads, Range{0, 1024});
}

Fitted fit(const LoggedData& log, const FitOptions& options = {}, const Progress& progress = {});

}  // namespace otss
