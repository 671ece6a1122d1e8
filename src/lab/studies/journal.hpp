// Keeps a file with one line per finished unit of a study, so that an interrupted study can be
// resumed. A unit is one setting with one seed.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "lab/scoring/contest.hpp"

namespace otss::internal {

class StudyJournal {
 public:
  // Opens or creates the file. Throws an Error if an existing file has another specification in its
  // first line. An incomplete last line, left by a crash, is dropped.
  StudyJournal(std::string path, const Json& specification);

  // Returns the results of a unit, or null if the unit is not finished yet.
  const std::vector<MethodResult>* find(const std::string& setting, std::uint64_t seed) const;
  void add(const std::string& setting, std::uint64_t seed, std::vector<MethodResult> results);

 private:
  using Unit = std::pair<std::string, std::uint64_t>;

  std::size_t read(const Json& specification);  // returns the number of bytes in complete lines
  void read_line(const Json& json, const Json& specification, bool first);
  void append(const std::string& line);

  std::string path_;
  std::map<Unit, std::vector<MethodResult>> finished_;
  std::mutex mutex_;
};

}  // namespace otss::internal
