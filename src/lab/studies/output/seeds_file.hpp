// Reads and writes the results of a study seed by seed, as a compressed CSV file with one row per
// setting, seed, method and metric. The tables of a study can be made again from this file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "lab/studies/output/journal.hpp"

namespace otss::internal {

struct SeedsFile {
  std::string study;
  bool refit = false;  // true if the methods were refitted on training and validation rows
  // The results, by the name of the setting and the seed. Every setting has the same seeds, without
  // gaps.
  std::map<std::pair<std::string, std::uint64_t>, FinishedUnit> units;
};

// Returns the bytes of the file, which are those of a gzip file. Metrics that are NaN have no row.
// The seconds of a fit are a metric too. The CPU seconds and the seconds elapsed of a unit are metrics
// of a method called "run", which no version and no machine made.
std::string to_bytes(const SeedsFile& file);

// Reads a file that to_bytes() wrote. Throws an Error if the file is not such a file.
SeedsFile read_seeds_file(const std::string& path);

}  // namespace otss::internal
