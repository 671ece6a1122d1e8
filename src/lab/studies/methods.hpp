// Defines the methods of the studies: their names, their titles, and how each of them is fitted.
//
// A name is that of a method, followed by what differs from its customary fit:
//   em                       one setting is picked, as in the paper
//   em-average               all settings are averaged, as for OTSS
//   otss, otss-pick          OTSS averages its settings; one setting is picked, as in the paper
//   otss-paper-training      the paper's recipe, fitted on the training rows only
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/scoring/contest.hpp"

namespace otss::internal {

// The sentences of a study that say what the treatments are, and what the oracle gate is.
inline constexpr const char* kAboutTreatments =
    "Every method has two rows. Treatment *pick* is the paper's protocol: one setting (number of "
    "experts, rank, penalties) is picked by its loss on the validation rows. Treatment *average* "
    "is "
    "ours: all settings are averaged, with weights by cross-validation on all rows that the method "
    "is "
    "fitted on. A difference is that of OTSS, or auto, with the same treatment. EM is deployed "
    "with "
    "its gate, because the outcome of a decision is not known when deciding; *given the outcome* "
    "are "
    "its weights with posterior responsibilities, which use the outcome of the test row. The "
    "oracle "
    "gate is a reference that knows the true shares; its experts are penalised like those of the "
    "other methods.";

// Returns the title of a method in tables and figures; for example, "cluster-average" becomes
// "cluster-then-fit". The title does not say which treatment the settings have.
std::string method_title(const std::string& name);

// Returns how the settings of a method are treated, or nothing for methods without settings: the
// pooled model, the oracle gate, and the methods of the study `panel`.
std::optional<Treatment> method_treatment(const std::string& name);

// Returns the title with the treatment: "cluster-then-fit, average".
std::string full_title(const std::string& name);

// Returns the index of the method with which method number `name` is compared: `reference` with the
// same treatment of its settings if the contest has it, else `reference`.
std::size_t even_reference(const Contest& contest, const std::string& reference, std::size_t name);

// Returns the Entrant (contest.hpp) for a method name. The names are pooled, linear, low-rank, mlp,
// cluster, em, hard, gbm, otss (mixtures only), auto (our default) and otss-ESTIMATOR, such as
// otss-map; each with the endings above. OTSS, EM and hard routing are given the number of experts;
// cluster and auto choose their own number.
Entrant study_entrant(const std::string& name, int experts);
std::vector<Entrant> study_entrants(const std::vector<std::string>& names, int experts);

// Returns the names of a contest in which every method has both treatments: first the methods with
// one treatment, then all others with a setting picked, then all others with settings averaged.
std::vector<std::string> both_treatments(const std::vector<std::string>& one_treatment,
                                         const std::vector<std::string>& methods);

// Returns the rows of the paper's recipe: fitted as the other methods are and, if these are refitted,
// also fitted on the training rows only, as in the paper.
std::vector<std::string> paper_rows(bool refit);

// Returns the methods of the paper's main tables, and `more`, with both treatments. EM also has the
// result that knows the outcome (known_outcome.hpp).
std::vector<Entrant> main_entrants(bool refit, int experts, const std::vector<std::string>& more);

// Returns the methods as JSON, as they are written to a study's specification.
Json to_json(const std::vector<Entrant>& entrants);

}  // namespace otss::internal
