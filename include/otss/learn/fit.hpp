// Fits a model to a log.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "otss/base/device.hpp"
#include "otss/base/options.hpp"
#include "otss/base/progress.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/method.hpp"
#include "otss/model/output_family.hpp"

namespace otss {

// How the average of the posterior draws is stored in the model.
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
  Treatment treatment = Treatment::kAuto;
  bool no_refit = false;
  AutoCount restarts;
  std::uint64_t seed = 1;
  int threads = 0;
  Device device = Device::kCpu;
  Storage storage = Storage::kSingle;
  // The earlier model at which the fit starts, or null if there is none. Expert k of the new model
  // then corresponds to expert k of the earlier model.
  std::shared_ptr<const Fitted> init;
  // A log with more rows than this is large: the settings are chosen on a sample of its rows, and
  // one model is then fitted to all rows (docs/method.md). 0 means the default, 100,000 rows. The
  // command line has no such option; tests use a smaller number.
  std::size_t large_log_rows = 0;
};

// Describes every option. Help texts and range checks are made only from these descriptions. Calls
// visit(text, field, Choices | Range | FreeText) for each option, or visit(text, flag) for a bool.
template <class Options, class Visitor>
void describe_fit_options(Options& options, const Visitor& visit) {
  visit(
      OptionText{
          "method",
          "what to fit: a mixture of experts, averaged with a model whose weights are linear "
          "in the context (auto); a mixture of experts only (otss); or one of the "
          "comparison methods of docs/method.md"},
      options.method, words_of<Method>());
  visit(OptionText{"estimator",
                   "how to estimate the mixture: map averages penalised fits; bayes averages "
                   "posterior draws; paper is the method of the paper; paper-wide is paper with "
                   "more ridge penalties to choose from; auto is map if the log has more than "
                   "10,000 rows or more than 64 encoded context columns, or if --group, --time, "
                   "--validation, --sign or --bounds is given, and bayes otherwise"},
        options.estimator, words_of<Estimator>());
  visit(OptionText{"deploy",
                   "with --estimator bayes, what the model contains: one mixture fitted to the "
                   "posterior mean (distilled), or the mean of the draws itself (mean)"},
        options.deploy, words_of<Deploy>());
  visit(OptionText{"experts", "number of experts (trade-offs); auto chooses it by held-out loss"},
        options.experts, Range{1, 64});
  visit(OptionText{"gate",
                   "how the experts' shares depend on the context; auto chooses one of the other "
                   "three by held-out loss"},
        options.gate, words_of<GateChoice>());
  visit(OptionText{"no-intercept",
                   "with --method linear: leave out the constant c of the weights w(x) = A x + c"},
        options.no_intercept);
  visit(OptionText{"family",
                   "distribution of the outcome: bernoulli (0 or 1), gaussian (any "
                   "number) or poisson (a count)"},
        options.family, words_of<OutputFamily>());
  visit(OptionText{"sign", "sign that a factor's weight must have in every context"}, options.sign,
        FreeText{"F=+|-,…"});
  visit(OptionText{"bounds", "bounds on a factor's weight, in the units of the log"},
        options.bounds, FreeText{"F=LO:HI,…"});
  visit(OptionText{"validation",
                   "choose settings by the loss on this share of the rows (with --time: the latest "
                   "rows) instead of by cross-validation"},
        options.validation, Range{0, 0.9});
  visit(OptionText{"folds", "number of cross-validation folds; auto is 5"}, options.folds,
        Range{2, 50});
  visit(OptionText{"treatment",
                   "what is done with the settings that are compared on held-out rows: pick keeps "
                   "the one with the lowest loss; average averages them, with weights that "
                   "minimise the loss; auto is average for otss and auto, and pick for the "
                   "comparison methods, --gate mlp and --estimator paper"},
        options.treatment, words_of<Treatment>());
  visit(OptionText{"no-refit",
                   "with --validation or --time: keep the model that was fitted on the training "
                   "rows and do not fit it again on all rows"},
        options.no_refit);
  visit(OptionText{"restarts",
                   "how many starting points to try for each number of experts; with auto, the "
                   "method decides"},
        options.restarts, Range{1, 1000});
  visit(OptionText{"seed", "seed of all random choices: splits, starting points, draws"},
        options.seed, Range{0, 9007199254740991.0});
  visit(OptionText{"threads",
                   "number of threads; 0 uses all cores; the fitted model is the same for any "
                   "number of threads",
                   Recorded::kNo},
        options.threads, Range{0, 1024});
  visit(
      OptionText{"device",
                 "what computes the passes over all rows of a log with more than 100,000 rows: the "
                 "processor (cpu) or an NVIDIA GPU (cuda), whose sums differ by rounding",
                 Recorded::kNo},
      options.device, words_of<Device>());
  visit(
      OptionText{"storage",
                 "with --device cuda: how the GPU stores contexts and factors of a log with more "
                 "than 100,000 rows, in 4 bytes (f32) or in 2 (f16), which is refused if it would "
                 "shift weights by more than .02 standard errors",
                 Recorded::kNo},
      options.storage, words_of<Storage>());
}

Fitted fit(const LoggedData& log, const FitOptions& options = {}, const Progress& progress = {});

}  // namespace otss
