// Declares the methods of the study `panel`: each of them learns from a log of units, and uses what
// a new unit did before to find the weights of this unit.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/worlds/panel.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

struct HistoryMethod {
  std::string name;
  // Returns the weights in the test contexts of the trial, rows × J, if only the first
  // `history_rows` earlier rows of each new unit are known. The trial must still exist.
  std::function<std::vector<double>(std::size_t history_rows)> weights;
};

// Each function fits one method to the log of the trial, on one thread, and is in a file of its own.

// A logistic regression for each unit, on the rows of this unit only. The ridge penalty is chosen
// on rows held out within units of the log. A unit without rows has the weights of a regression on
// the rows of all units.
HistoryMethod fit_unit_models(const PanelTrial& trial);

// Weights that are linear in the context columns and in an indicator of each unit, with a ridge
// penalty on what belongs to the units. The penalty is chosen on rows held out within units.
HistoryMethod fit_unit_columns(const PanelTrial& trial);

// Latent classes of units, fitted by EM: a unit belongs to one class in all of its rows, with
// probabilities that depend on its contexts. The weights of a unit are the mean over the classes,
// with the probabilities of the classes given the unit's rows. The number of classes is chosen on
// rows held out within units.
HistoryMethod fit_unit_classes(const PanelTrial& trial);

// The default of otss on the contexts of a unit, without its rows.
HistoryMethod fit_without_history(const PanelTrial& trial);

// The default of otss with personal deviations of the weights. The weights of a unit are those of
// its context plus the mean of its deviation, given its rows.
HistoryMethod fit_with_history(const PanelTrial& trial);

// The same with one trade-off for all contexts: a mixed logit.
HistoryMethod fit_mixed_logit(const PanelTrial& trial);

// Returns the weights in the test contexts, as HistoryMethod::weights does, by a model with or
// without deviations of units.
std::vector<double> weights_with_history(const PanelTrial& trial, const Fitted& fitted,
                                         std::size_t history_rows);

// Returns all methods of the study, fitted to the log of the trial.
std::vector<HistoryMethod> fit_history_methods(const PanelTrial& trial);

}  // namespace otss::internal
