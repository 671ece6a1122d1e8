// Defines a study of the paper: its settings, the numbers in the paper, and how the results are
// shown.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "lab/figures/figure.hpp"
#include "lab/scoring/contest.hpp"
#include "otss/lab/study.hpp"

namespace otss::internal {

// Values that the paper publishes. A value is NaN if the paper does not give it.
struct PaperValue {
  double regret = Scorecard::kNone, regret_sd = Scorecard::kNone;
  double weight_mse = Scorecard::kNone, weight_mse_sd = Scorecard::kNone;
};

struct StudySetting {
  std::string name;   // name in results.csv
  std::string title;  // title in tables and figures
  // Runs one seed, on one thread; the results do not depend on what runs at the same time. Empty if
  // the study has run_together.
  std::function<std::vector<MethodResult>(std::uint64_t seed)> run;
  std::map<std::string, PaperValue> paper = {};  // the paper's values, by method
  // The number of an earlier setting with the same logs and methods, if there is one. Its results are
  // copied instead of computed again.
  std::optional<std::size_t> same_as = {};
  // Does what `run` does, for some of the methods. Empty if the methods cannot be run one by one.
  std::function<std::vector<MethodResult>(std::uint64_t seed, const std::set<std::string>& methods)>
      run_some = {};
};

struct NamedFigure {
  std::string name;
  Figure figure;
};

struct StudyPage {
  std::string table;  // the text of the page, in Markdown
  std::vector<NamedFigure> figures;
};

struct Study {
  std::string name;
  std::string title;
  // The text above the table. It says what is simulated and which methods are fitted.
  std::string about;
  Json specification;              // all parameters that determine the results, except the seeds
  std::string reference = "otss";  // the other methods are compared with this one
  bool has_validation = true;      // true if there are validation rows
  bool timed = false;              // true if seconds are measured; then only one fit runs at a time
  std::vector<StudySetting> settings;
  // Runs one seed in all settings, on one thread, and returns the results of each setting. A study
  // has this function if its settings share fits.
  std::function<std::vector<std::vector<MethodResult>>(std::uint64_t seed)> run_together = {};
  // Makes the page of the study from one contest per setting.
  std::function<StudyPage(const Study&, const std::vector<Contest>&)> present;
};

// Runs every unit (a setting with a seed) that is not in the folder's journal yet. So the same call
// resumes after an interruption, and a call with more seeds runs only the new ones. Writes
// table.md, results.csv, seeds.csv.gz, results.json and the figures; returns the page. Results do not depend on
// the number of threads. If the folder has results of another specification, throws an Error and
// changes nothing.
StudyPage run_study(const Study& study, const StudyOptions& options, const Progress& progress = {});

struct SeedsFile;  // seeds_file.hpp

// Runs some methods of a study, on the seeds of a file, and takes the results of the others from it.
// Does what run_study() does with the results of both.
StudyPage run_again(Study study, StudyOptions options, const SeedsFile& seeds,
                    const Progress& progress = {});

// Writes the same files, except the journal, from results that are in a file. The seeds and the
// protocol are those of the file.
StudyPage remake_study(const Study& study, StudyOptions options, const SeedsFile& seeds);

}  // namespace otss::internal
