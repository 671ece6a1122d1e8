// A study of the paper: settings to run seed by seed, the paper's own numbers, and how the results
// are shown.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "lab/figures/figure.hpp"
#include "lab/scoring/contest.hpp"

namespace otss {

// As published; NaN where the paper gives none.
struct PaperValue {
  double regret = Scorecard::kNone, regret_sd = Scorecard::kNone;
  double weight_mse = Scorecard::kNone, weight_mse_sd = Scorecard::kNone;
};

struct StudySetting {
  std::string name;   // in results.csv
  std::string title;  // in tables and figures
  // On one thread; the same results whatever else runs.
  std::function<std::vector<MethodResult>(std::uint64_t seed)> run;
  std::map<std::string, PaperValue> paper;  // by method
};

struct NamedFigure {
  std::string name;
  Figure figure;
};

struct StudyPage {
  std::string table;  // Markdown
  std::vector<NamedFigure> figures;
};

struct Study {
  std::string name;
  std::string title;
  std::string about;   // what is simulated and who takes part, for the reader of the table
  Json specification;  // all that decides the results, besides the seeds
  std::string reference = "otss";  // the method the others are compared with
  bool has_validation = true;      // whether there are validation rows, which refitting would use
  bool timed = false;  // seconds are what it is about: units run one at a time, and are written
  std::vector<StudySetting> settings;
  std::function<StudyPage(const Study&, const std::vector<Contest>&)> present;  // per setting
};

struct StudyOptions {
  int seeds = 8;
  std::uint64_t first_seed = 1;
  int threads = 0;
  bool refit = false;
  std::string folder;  // results go to folder/<study>/
};

using StudyProgress = std::function<void(double fraction, const std::string& what)>;

// Runs what is not there yet: every finished unit (a setting and a seed) is kept in a journal, so
// that the same call goes on after an interruption, and more seeds add to those that are there.
// Writes table.md, results.csv, results.json and the figures; returns the page. Results do not
// depend on the number of threads. A folder that holds results of another specification is an
// Error: nothing is replaced.
StudyPage run_study(const Study& study, const StudyOptions& options,
                    const StudyProgress& progress = {});

}  // namespace otss
