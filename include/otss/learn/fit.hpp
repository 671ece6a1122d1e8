// From a log to a model: the one call most programs need.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "otss/base/options.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

struct FitOptions {
  std::string method = "otss";
  std::string estimator = "map";
  AutoCount experts;
  std::string gate = "linear";
  std::string family = "bernoulli";
  double validation = 0;
  AutoCount folds;
  AutoCount restarts;
  std::uint64_t seed = 1;
  int threads = 0;
  bool no_intercept = false;
};

// Describes each option once; `visit` is called with (text, field, Choices | Range).
template <class Options, class Visitor>
void describe_fit_options(Options& options, const Visitor& visit) {
  visit(OptionText{"method",
                   "what to fit: a soft mixture of trade-offs, or one trade-off for everybody"},
        options.method, Choices{"otss", "pooled"});
  visit(OptionText{"estimator",
                   "how to estimate it: an average of penalised maxima (map), or of the posterior"},
        options.estimator, Choices{"map", "bayes"});
  visit(OptionText{"experts", "number of trade-offs to mix; auto chooses by held-out loss"},
        options.experts, Range{1, 64});
  visit(OptionText{"gate", "how shares depend on the context"}, options.gate, Choices{"linear"});
  visit(OptionText{"family", "distribution of the outcome"}, options.family, Choices{"bernoulli"});
  visit(OptionText{"validation",
                   "choose settings on this share of the rows (the latest with --time) instead of "
                   "cross-validating"},
        options.validation, Range{0, 0.9});
  visit(OptionText{"folds", "cross-validation folds; auto is 5"}, options.folds, Range{2, 50});
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
