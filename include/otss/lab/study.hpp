// Runs the studies of the paper again. The results are the paper's tables and figures, with our
// numbers beside the paper's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "otss/base/progress.hpp"

namespace otss {

class Ranks;  // otss/base/ranks.hpp

struct StudyOptions {
  int seeds = 8;                 // number of simulated logs per setting
  std::uint64_t first_seed = 1;  // seed of the first log; the next logs have the next seeds
  int threads = 0;               // 0: all cores; results do not depend on the number of threads
  // If true, each method is fitted again on training and validation rows once its settings are
  // chosen. If false, methods are fitted on training rows only, as in the paper.
  bool refit = false;
  std::string folder = {};  // results are written to folder/<study>/
  std::string data = {};    // folder with the tables of the retail study, for studies that use it
  // A file seeds.csv.gz that a run of this study wrote. If it is given, the results are made from the
  // file, and the seeds and `refit` are those of the file.
  std::string from = {};
  // The methods that are fitted if `from` is given: their results replace those in the file. If
  // empty, nothing is fitted then.
  std::vector<std::string> again = {};
  // The processes that run the study together; null means one process. Only rank 0 writes files. A
  // study that measures times runs on rank 0 alone.
  Ranks* ranks = nullptr;
};

struct StudyResult {
  std::string table;                 // the text of table.md, in Markdown
  std::vector<std::string> figures;  // names of the SVG files, without ".svg"
};

// Returns the names that run_study accepts.
std::vector<std::string> study_names();
// Returns true if the study cannot run without StudyOptions::data.
bool study_needs_data(const std::string& name);
// Returns true if the study reads StudyOptions::data, or has one more setting if it is given.
bool study_uses_data(const std::string& name);

// Runs a study and writes table.md, results.csv, seeds.csv.gz (the results seed by seed, with the
// version of otss, the machine and its instruction set), results.json and the figures to
// folder/<study>/. A run is one setting with one seed. The result of each run is added to a journal file in that
// folder as soon as the run is finished; with several ranks, when the runs of all ranks that began at
// the same time are finished. So the same call continues an interrupted study, and a
// call with more seeds adds runs to a finished study. On ranks other than rank 0 the result is empty. If the folder has results that were made
// with another `refit` or by another version of otss, throws an Error and overwrites nothing.
StudyResult run_study(const std::string& name, const StudyOptions& options,
                      const Progress& progress = {});

}  // namespace otss
