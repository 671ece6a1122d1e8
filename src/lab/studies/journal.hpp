// Keeps a file with one line per finished unit of a study, so that an interrupted study can be
// resumed. A unit is one setting with one seed.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "lab/scoring/contest.hpp"

namespace otss::internal {

class StudyJournal {
 public:
  // Opens or creates the file. An incomplete last line, left by a crash, is dropped. Throws an Error
  // if an existing file is not a journal (which stays as it is), if it has another specification in
  // its first line, or if another process has locked it: two processes never write one journal.
  StudyJournal(std::string path, const Json& specification);
  ~StudyJournal();
  StudyJournal(const StudyJournal&) = delete;
  StudyJournal& operator=(const StudyJournal&) = delete;

  // Returns the results of a unit, or null if the unit is not finished yet.
  const std::vector<MethodResult>* find(const std::string& setting, std::uint64_t seed) const;
  void add(const std::string& setting, std::uint64_t seed, std::vector<MethodResult> results);

 private:
  using Unit = std::pair<std::string, std::uint64_t>;

  void open_locked();
  std::string content() const;
  std::size_t read(std::string_view text, const Json& specification);  // returns the complete bytes
  void read_line(const Json& json);
  void append(const std::string& line);
  [[noreturn]] void refuse(const std::string& what) const;
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int descriptor_ = -1;
  std::map<Unit, std::vector<MethodResult>> finished_;
  std::map<std::string, std::vector<std::string>> methods_;  // of each setting, in order
  std::mutex mutex_;
};

}  // namespace otss::internal
