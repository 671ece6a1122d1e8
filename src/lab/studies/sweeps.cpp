#include "lab/studies/catalogue.hpp"
#include "lab/studies/methods.hpp"
#include "lab/studies/sweep_study.hpp"

namespace otss::internal {
namespace {

// Returns a sweep that changes one number of Panel A's specification.
template <class Number>
Sweep overlap_sweep(std::string name, std::string title, std::string axis,
                    std::vector<double> values, Number OverlapSpec::*field) {
  return {std::move(name),
          std::move(title),
          std::move(axis),
          std::move(values),
          [field](double value, std::uint64_t seed) {
            OverlapSpec spec{.seed = seed};
            spec.*field = static_cast<Number>(value);
            return simulate_overlap(spec);
          },
          static_cast<double>(OverlapSpec{}.*field)};
}

// The irrelevant columns of the sweeps in which their number does not change.
constexpr IrrelevantColumns kIrrelevantColumns{.count = 20, .scale = 1};

template <class Number>
Sweep irrelevant_sweep(std::string name, std::string title, std::string axis,
                       std::vector<double> values, Number IrrelevantColumns::*field) {
  return {std::move(name),
          std::move(title),
          std::move(axis),
          std::move(values),
          [field](double value, std::uint64_t seed) {
            IrrelevantColumns columns = kIrrelevantColumns;
            columns.*field = static_cast<Number>(value);
            return simulate_irrelevant({.seed = seed}, columns);
          },
          static_cast<double>(kIrrelevantColumns.*field),
          false};
}

}  // namespace

Study sweeps_study(bool refit) {
  std::vector<std::string> once = {"pooled"};
  for (const std::string& name : paper_rows(refit)) once.push_back(name);
  const SweepStudyParts parts{
      .name = "sweeps",
      .title = "Panel A with one parameter varied",
      .about =
          "The logs are those of Panel A with one parameter varied at a time. For each seed, the "
          "smaller training sets are the first rows of the largest one, and the test contexts "
          "are the same, so that only the number of rows changes. The paper shows these curves "
          "without numbers.",
      .figures = "What makes segmentation hard",
      .other_parameters = "The other parameters are those of Panel A.",
      .world = "overlap",
      .entrants = study_entrants(both_treatments(once, {"cluster", "hard", "otss", "auto"}), 2),
      .refit = refit};
  return sweep_study(
      parts,
      {overlap_sweep("n", "More rows", "training rows", {500, 1000, 2000, 5000, 10000},
                     &OverlapSpec::n),
       overlap_sweep("tau", "Sharper gate", "τ", {0.3, 0.6, 1.2, 2.4, 4.8}, &OverlapSpec::tau),
       overlap_sweep("nuisance", "Larger nuisance columns", "sd of nuisance columns",
                     {0.25, 0.5, 1, 2, 4}, &OverlapSpec::nuisance)});
}

Study nuisance_study(bool refit) {
  std::vector<std::string> once = {"pooled"};
  for (const std::string& name : paper_rows(refit)) once.push_back(name);
  const SweepStudyParts parts{
      .name = "nuisance",
      .title = "Panel A with irrelevant columns",
      .about =
          "The logs are those of Panel A, with other irrelevant context columns: columns that "
          "affect neither the gate nor, except the first five, the baseline. Every method "
          "standardises the columns, so their standard deviation, which the paper varies, has no "
          "effect. Three things have: the number of irrelevant columns, their correlation with "
          "the relevant ones (irrelevant column j with relevant column j modulo five), and raw "
          "scales with long tails, such as amounts of money: a column is recorded as exp(s x), "
          "where x is standard normal, and standardised afterwards. There are 20 irrelevant "
          "columns where their number does not vary.",
      .figures = "Irrelevant columns",
      .other_parameters = "The other parameters are those of Panel A.",
      .world = "irrelevant",
      .entrants = study_entrants(
          both_treatments(once, {"linear", "low-rank", "cluster", "hard", "otss", "auto"}), 2),
      .refit = refit};
  return sweep_study(
      parts,
      {irrelevant_sweep("columns", "More irrelevant columns", "irrelevant columns",
                        {0, 5, 20, 50, 100}, &IrrelevantColumns::count),
       irrelevant_sweep("correlation", "Irrelevant columns that resemble relevant ones",
                        "correlation with a relevant column", {0, 0.3, 0.6, 0.9},
                        &IrrelevantColumns::correlation),
       irrelevant_sweep("log-sd", "Irrelevant columns on raw scales", "sd s of the logarithm",
                        {0, 0.5, 1, 2}, &IrrelevantColumns::log_deviation)});
}

}  // namespace otss::internal
