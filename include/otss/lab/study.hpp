// The paper's studies: its tables and figures with our numbers beside them, on known truths.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "otss/base/progress.hpp"

namespace otss {

struct StudyOptions {
  int seeds = 8;                 // simulated logs per setting
  std::uint64_t first_seed = 1;  // the seed of the first
  int threads = 0;               // 0 takes all cores; results do not depend on it
  bool refit = false;            // every method on training and validation rows, once chosen
  std::string folder = {};       // results go to folder/<study>/
  std::string data = {};         // folder with the tables of the retail study; others ignore it
};

struct StudyResult {
  std::string table;                 // Markdown, as written to table.md
  std::vector<std::string> figures;  // names of the SVG files, without ending
};

std::vector<std::string> study_names();
bool study_needs_data(const std::string& name);  // whether it reads StudyOptions::data

// Runs what is not there yet: every finished unit (a setting and a seed) is kept in a journal, so
// that the same call goes on after an interruption, and more seeds add to those that are there.
// Writes table.md, results.csv, results.json and the figures. A folder that holds results of
// another specification is an Error: nothing is replaced.
StudyResult run_study(const std::string& name, const StudyOptions& options,
                      const Progress& progress = {});

}  // namespace otss
