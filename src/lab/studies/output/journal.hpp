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

// The results of one unit, and how long they took.
struct FinishedUnit {
  std::vector<MethodResult> results;
  // CPU seconds of the process that keeps the journal, and seconds elapsed, since the unit that was
  // added before. Units run side by side, so only the sums over all units of a study say something.
  // 0 if it is not known.
  double cpu_seconds = 0;
  double elapsed_seconds = 0;
};

// Returns the results as a finished unit. Results that do not say by what they were made were made here.
FinishedUnit finished_here(std::vector<MethodResult> results);

class StudyJournal {
 public:
  // Opens the file, or creates it. Removes an incomplete last line, which a crash may have left.
  // Throws an Error and does not change the file in three cases: the file is not a journal; its
  // first line has another specification; or another process has locked it. So two processes never
  // write the same journal.
  StudyJournal(std::string path, const Json& specification);
  ~StudyJournal();
  StudyJournal(const StudyJournal&) = delete;
  StudyJournal& operator=(const StudyJournal&) = delete;

  // Returns the results of a unit, or null if the unit is not finished yet.
  const FinishedUnit* find(const std::string& setting, std::uint64_t seed) const;
  void add(const std::string& setting, std::uint64_t seed, FinishedUnit unit);

 private:
  using Unit = std::pair<std::string, std::uint64_t>;

  // What the clocks show: CPU seconds of the process, and seconds of a steady clock.
  struct Clocks {
    double cpu_seconds = 0;
    double elapsed_seconds = 0;
  };

  static Clocks now();
  void open_locked();
  std::string content() const;
  // Returns the number of bytes in complete lines.
  std::size_t read(std::string_view text, const Json& specification);
  void read_line(const Json& json);
  void append(const std::string& line);
  [[noreturn]] void refuse(const std::string& what) const;
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int descriptor_ = -1;
  std::map<Unit, FinishedUnit> finished_;
  std::map<std::string, std::vector<std::string>> methods_;  // names of the methods of each setting
  Clocks last_ = now();  // when the journal was opened, or a unit was added
  std::mutex mutex_;
};

}  // namespace otss::internal
