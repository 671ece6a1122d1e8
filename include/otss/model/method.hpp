// This header has the enums that say how a model was made: the method, the estimator of the
// parameters, the treatment of the settings, and the gate of a mixture.
#pragma once

#include <array>

#include "otss/base/options.hpp"

namespace otss {

enum class Method {
  // This value can be given as an option of a fit, but a model never has it. The fit averages two
  // kinds of models: soft mixtures, and models whose weights are linear in the context. The fitted
  // model is one soft mixture that approximates this average.
  kAuto,
  kOtss,     // soft mixture: w(x) is an average of the experts' weights, with shares from a gate
  kPooled,   // one expert: all contexts have the same weights
  kLinear,   // weights are linear in the context: w(x) = A x + c
  kLowRank,  // w(x) = A x + c with a matrix A of low rank
  kMlp,      // a small neural network computes the weights
  kCluster,  // k-means clusters of contexts; each cluster has its own weights
  kEm,       // mixture of regressions, fitted by EM; averages the experts' probabilities
  kHard,     // mixture whose gate assigns each context to exactly one expert
  kGbm       // boosted trees, which have scores but no weights
};

constexpr auto word_table(Method) {
  return std::to_array<WordOf<Method>>({{Method::kAuto, "auto"},
                                        {Method::kOtss, "otss"},
                                        {Method::kPooled, "pooled"},
                                        {Method::kLinear, "linear"},
                                        {Method::kLowRank, "low-rank"},
                                        {Method::kMlp, "mlp"},
                                        {Method::kCluster, "cluster"},
                                        {Method::kEm, "em"},
                                        {Method::kHard, "hard"},
                                        {Method::kGbm, "gbm"}});
}

// Returns true for kOtss and kAuto. A fit with one of these two options gives a model with the
// method kOtss.
constexpr bool fits_segments(Method method) {
  return method == Method::kOtss || method == Method::kAuto;
}

enum class Estimator {
  // This value can be given as an option of a fit, but a model never has it. The fit then chooses
  // kMap or kBayes; the help text of --estimator (otss/learn/fit.hpp) says which.
  kAuto,
  kMap,       // penalised maximum likelihood
  kBayes,     // an average over the posterior
  kPaper,     // the procedure of the paper
  kPaperWide  // the procedure of the paper with a longer list of ridge penalties
};

constexpr auto word_table(Estimator) {
  return std::to_array<WordOf<Estimator>>({{Estimator::kAuto, "auto"},
                                           {Estimator::kMap, "map"},
                                           {Estimator::kBayes, "bayes"},
                                           {Estimator::kPaper, "paper"},
                                           {Estimator::kPaperWide, "paper-wide"}});
}

// What a fit does with its settings (numbers of experts, penalties), which it compares on held-out
// rows.
enum class Treatment {
  // This value can be given as an option of a fit. The mixture of experts then averages its
  // settings, unless the estimator is that of the paper; the comparison methods pick one.
  kAuto,
  kPick,    // the setting with the lowest held-out loss is the model
  kAverage  // the model is an average of the settings, with weights that minimise the held-out loss
};

constexpr auto word_table(Treatment) {
  return std::to_array<WordOf<Treatment>>(
      {{Treatment::kAuto, "auto"}, {Treatment::kPick, "pick"}, {Treatment::kAverage, "average"}});
}

// The kind of gate that a user can ask for. A gate is the function that computes the shares of the
// experts from the context.
enum class GateChoice {
  kLinear,
  kQuadratic,
  kMlp,
  // This value can be given as an option of a fit, but a model never has it. The fit then chooses
  // one of the three kinds above by held-out loss.
  kAuto
};

constexpr auto word_table(GateChoice) {
  return std::to_array<WordOf<GateChoice>>({{GateChoice::kLinear, "linear"},
                                            {GateChoice::kQuadratic, "quadratic"},
                                            {GateChoice::kMlp, "mlp"},
                                            {GateChoice::kAuto, "auto"}});
}

}  // namespace otss
