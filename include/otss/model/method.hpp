// How a model came about: the method, and how its parameters were estimated.
#pragma once

#include <array>

#include "otss/base/options.hpp"

namespace otss {

enum class Method {
  kOtss,     // the soft mixture
  kPooled,   // one trade-off for everybody
  kLinear,   // weights linear in the context
  kLowRank,  // the same, of low rank
  kMlp,      // weights by a small network
  kCluster,  // clusters of contexts, then weights for each
  kEm,       // mixture of regressions, which mixes probabilities
  kHard,     // a gate that sends each context to one expert
  kGbm       // boosted trees: scores, no weights
};

constexpr auto word_table(Method) {
  return std::to_array<WordOf<Method>>({{Method::kOtss, "otss"},
                                        {Method::kPooled, "pooled"},
                                        {Method::kLinear, "linear"},
                                        {Method::kLowRank, "low-rank"},
                                        {Method::kMlp, "mlp"},
                                        {Method::kCluster, "cluster"},
                                        {Method::kEm, "em"},
                                        {Method::kHard, "hard"},
                                        {Method::kGbm, "gbm"}});
}

enum class Estimator {
  kAuto,      // an option only: bayes or map, whichever suits the log; no model has it
  kMap,       // penalised maxima
  kBayes,     // averages over the posterior
  kPaper,     // the paper's recipe
  kPaperWide  // the same with more ridges
};

constexpr auto word_table(Estimator) {
  return std::to_array<WordOf<Estimator>>({{Estimator::kAuto, "auto"},
                                           {Estimator::kMap, "map"},
                                           {Estimator::kBayes, "bayes"},
                                           {Estimator::kPaper, "paper"},
                                           {Estimator::kPaperWide, "paper-wide"}});
}

}  // namespace otss
