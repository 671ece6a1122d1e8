// This header says whether the outcome is linear in the factors, and chooses terms
// (otss/data/term.hpp) if it is not. Terms become factors when the log is read again:
//
//   LoggedData log = read_log("log.csv", roles);
//   add_terms(choose_terms(log, Terms::kAuto), roles);
//   log = read_log("log.csv", roles);
//
// All functions take a log without centred factors (Roles::centered_by is empty).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "otss/base/options.hpp"
#include "otss/data/finding.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fit_report.hpp"
#include "otss/model/output_family.hpp"

namespace otss {

// Says which terms of the factors become additional factors.
enum class Terms {
  kNone,
  kSquares,  // the square of every factor
  kPairs,    // the product of every two factors
  kLogs,     // log(A) of every factor above 0, log(1+A) of every other factor that is not negative
  kAuto,     // the terms of all three kinds that predict held-out rows better
};

constexpr auto word_table(Terms) {
  return std::to_array<WordOf<Terms>>({{Terms::kNone, "none"},
                                       {Terms::kSquares, "squares"},
                                       {Terms::kPairs, "pairs"},
                                       {Terms::kLogs, "logs"},
                                       {Terms::kAuto, "auto"}});
}

struct TermOptions {
  OutputFamily family = {};
  std::uint64_t seed = 1;  // the seed of the random folds that Terms::kAuto holds out
  int threads = 0;         // 0: all cores; the result does not depend on the number
};

struct ChosenTerms {
  std::vector<std::string> names;  // such as "price^2"; with kAuto, the most useful term first
  double shrinkage = 1;            // see Roles::term_shrinkage
  // The gain of Terms::kAuto: by how much the terms lower the mean held-out loss of a model whose
  // weights are linear in the context. The gain is 0 if no term was chosen, and for other Terms.
  MeanAndError gain;
};

// Returns the terms to add to the factors of the log. A term is left out if it is constant, or if
// it is a linear combination of the factors and of earlier terms. Terms::kAuto adds one term after
// the other, each time the term that explains most. It keeps the number of terms that predicts
// held-out rows best, where groups are held out whole. It keeps no term unless the terms lower the
// loss by at least two standard errors. Throws Error(kUsage) if there are more than 1,000 terms.
ChosenTerms choose_terms(const LoggedData& log, Terms terms, const TermOptions& options = {});

// Adds the terms to the factors of `roles`.
void add_terms(const ChosenTerms& chosen, Roles& roles);

// A term that the model lacks.
struct MissingTerm {
  std::string name;  // such as "price^2"
  double gain = 0;   // by about how much the term would lower the mean loss, in nats per row
};

// Tests whether the outcome is linear in the factors. The test adds one term to a model whose
// weights are linear in the context. It does this for every square, every product of two factors
// and every logarithm. Returns the term that would lower the loss most, or nothing if no term is
// significant. On a log that is linear in the factors, the test returns a term with a probability
// of at most 5 %, whatever the number of factors. If the log has groups, rows of one group may
// depend on each other. Logs with more than 200 columns (contexts after encoding, and factors) are
// not tested.
std::optional<MissingTerm> find_missing_term(const LoggedData& log,
                                             const TermOptions& options = {});

// Returns a note that says that the factors lack this term.
Finding finding_of(const MissingTerm& missing);

}  // namespace otss
