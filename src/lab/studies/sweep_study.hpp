// Makes studies that vary one parameter of a world at a time and show regret and weight error as
// curves.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/studies/study.hpp"

namespace otss::internal {

// Several values of one parameter.
struct Sweep {
  std::string name;   // a setting of the study is called "name=value"
  std::string title;  // title of the table and of the panel
  std::string axis;   // what the values are
  std::vector<double> values;
  // Returns the log that belongs to a value and a seed.
  std::function<Simulation(double value, std::uint64_t seed)> simulate;
  double usual;  // the value that the other sweeps have; all sweeps have the same logs there
  bool log_axis = true;  // true if the axis of the values is logarithmic; no value may then be 0
};

// What a study of sweeps has beside its sweeps.
struct SweepStudyParts {
  std::string name, title, about;
  std::string figures;            // the first part of the titles of the figures
  std::string other_parameters;   // a sentence for the captions: what the other parameters are
  std::string world;              // the name of the world in the specification
  std::vector<Entrant> entrants;  // the methods, with both treatments
  bool refit = false;
};

// Returns the study. Its tables have the treatments pick and average; its figures have the treatment
// average and the paper's recipe.
Study sweep_study(const SweepStudyParts& parts, std::vector<Sweep> sweeps);

}  // namespace otss::internal
