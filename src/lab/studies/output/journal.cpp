#include "lab/studies/output/journal.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>

#include "base/atomic_file.hpp"
#include "base/version.hpp"
#include "otss/base/error.hpp"
#include "otss/base/process.hpp"

namespace otss::internal {
namespace {

constexpr const char* kSeconds = "seconds";
constexpr const char* kCpuSeconds = "cpu_seconds";
constexpr const char* kElapsedSeconds = "elapsed_seconds";

Json to_json(const MethodResult& result) {
  Json json = {{"method", result.method},
               {"version", result.made_by.version},
               {"machine", result.made_by.machine},
               {"kernels", result.made_by.kernels}};
  const auto put = [&](std::string_view name, double value) {
    if (!std::isnan(value)) json[std::string(name)] = value;
  };
  for (const ScorecardColumn& column : kScorecardColumns)
    put(column.name, result.measured.*column.field);
  put(kSeconds, result.measured.seconds);
  return json;
}

// `of_unit` made the results that do not say it themselves: earlier versions named it once a unit.
MethodResult from_json(const Json& json, const MadeBy& of_unit) {
  MethodResult result{
      .method = json.at("method"),
      .made_by = {json.value("version", of_unit.version), json.value("machine", of_unit.machine),
                  json.value("kernels", of_unit.kernels)}};
  for (const ScorecardColumn& column : kScorecardColumns)
    result.measured.*column.field = json.value(std::string(column.name), Scorecard::kNone);
  result.measured.seconds = json.value(kSeconds, Scorecard::kNone);
  return result;
}

// Returns the name of the processor, or "unknown".
std::string machine_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown";
}

constexpr const char* kNotAJournal =
    "this file is not a journal (the file in which otss study keeps finished results); remove "
    "the file, or choose another folder with -o";

}  // namespace

StudyJournal::StudyJournal(std::string path, const Json& specification) : path_(std::move(path)) {
  open_locked();
  try {
    const std::string text = content();
    const std::size_t complete = read(text, specification);
    if (complete < text.size() && ftruncate(descriptor_, static_cast<off_t>(complete)) != 0)
      fail("write");
    if (complete == 0) append(specification.dump());
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

StudyJournal::~StudyJournal() { close(descriptor_); }

StudyJournal::Clocks StudyJournal::now() {
  timespec cpu{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now().time_since_epoch();
  return {static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec),
          elapsed.count()};
}

void StudyJournal::open_locked() {
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("open");
  struct stat status {};
  const bool is_file = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  // On a file system without locks, the journal is written without a lock.
  const bool is_free = flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  if (is_file && is_free) return;
  close(descriptor_);
  refuse(is_file ? "another otss study is writing this journal; wait until it has finished, or "
                   "choose another folder with -o"
                 : kNotAJournal);
}

std::string StudyJournal::content() const {
  std::string text;
  std::array<char, 1U << 16U> block{};
  ssize_t count = 0;
  while ((count = pread(descriptor_, block.data(), block.size(), static_cast<off_t>(text.size()))) >
         0)
    text.append(block.data(), static_cast<std::size_t>(count));
  if (count < 0) fail("read");
  return text;
}

std::size_t StudyJournal::read(std::string_view text, const Json& specification) {
  std::size_t complete = 0;
  for (auto end = text.find('\n'); end != text.npos; end = text.find('\n', complete)) {
    const std::string_view line = text.substr(complete, end - complete);
    try {
      const Json json = Json::parse(line);
      if (complete > 0) {
        read_line(json);
      } else if (json.value("study", Json()) != specification.at("study")) {
        refuse(kNotAJournal);
      } else if (json != specification) {
        refuse(
            "the folder has results of another specification (other options) or of another "
            "version of otss; choose another folder with -o, or remove this folder");
      }
    } catch (const Json::exception&) {
      refuse(kNotAJournal);
    }
    complete = end + 1;
  }
  // After a crash, the file may have only the beginning of its first line. Such a file is a journal
  // too.
  if (complete == 0 && !specification.dump().starts_with(text)) refuse(kNotAJournal);
  return complete;
}

void StudyJournal::read_line(const Json& json) {
  std::vector<MethodResult> results;
  const MadeBy of_unit{kVersion, json.value("machine", ""), json.value("kernels", "")};
  for (const Json& result : json.at("results")) results.push_back(from_json(result, of_unit));
  const auto setting = json.at("setting").get<std::string>();
  const auto methods = method_names(results);
  if (results.empty() || methods_.try_emplace(setting, methods).first->second != methods)
    refuse(kNotAJournal);
  finished_[{setting, json.at("seed").get<std::uint64_t>()}] = {
      std::move(results), json.value(kCpuSeconds, 0.0), json.value(kElapsedSeconds, 0.0)};
}

const FinishedUnit* StudyJournal::find(const std::string& setting, std::uint64_t seed) const {
  const auto found = finished_.find({setting, seed});
  return found == finished_.end() ? nullptr : &found->second;
}

FinishedUnit finished_here(std::vector<MethodResult> results) {
  for (MethodResult& result : results) {
    if (result.made_by.version.empty())
      result.made_by = {kVersion, machine_name(), std::string(instruction_set())};
  }
  return {.results = std::move(results)};
}

void StudyJournal::add(const std::string& setting, std::uint64_t seed, FinishedUnit unit) {
  Json list = Json::array();
  for (const MethodResult& result : unit.results) list.push_back(to_json(result));
  const std::lock_guard lock(mutex_);
  const auto methods = method_names(unit.results);
  if (methods_.try_emplace(setting, methods).first->second != methods) refuse(kNotAJournal);
  const Clocks clocks = now();
  unit.cpu_seconds = clocks.cpu_seconds - last_.cpu_seconds;
  unit.elapsed_seconds = clocks.elapsed_seconds - last_.elapsed_seconds;
  last_ = clocks;
  append(Json{{"setting", setting},
              {"seed", seed},
              {"results", list},
              {kCpuSeconds, unit.cpu_seconds},
              {kElapsedSeconds, unit.elapsed_seconds}}
             .dump());
  finished_[{setting, seed}] = std::move(unit);
}

void StudyJournal::append(const std::string& line) {
  struct stat before {};
  if (fstat(descriptor_, &before) != 0) fail("write");
  if (write_fully(descriptor_, line + '\n')) return;
  const int reason = errno;
  // Removes the incomplete line. If this fails too, the next start of the study removes the line.
  [[maybe_unused]] const int ignored = ftruncate(descriptor_, before.st_size);
  errno = reason;
  fail("write");
}

void StudyJournal::refuse(const std::string& what) const {
  throw Error(ErrorCode::kInput, fmt::format("{}: {}", path_, what));
}

void StudyJournal::fail(const char* what) const {
  throw Error(ErrorCode::kIo,
              fmt::format("{}: cannot {} this file ({}); choose another folder with -o", path_,
                          what, std::strerror(errno)));
}

}  // namespace otss::internal
