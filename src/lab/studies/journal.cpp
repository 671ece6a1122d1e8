#include "lab/studies/journal.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

constexpr const char* kSeconds = "seconds";

Json to_json(const MethodResult& result) {
  Json json = {{"method", result.method}};
  const auto put = [&](std::string_view name, double value) {
    if (!std::isnan(value)) json[std::string(name)] = value;
  };
  for (const ScorecardColumn& column : kScorecardColumns)
    put(column.name, result.measured.*column.field);
  put(kSeconds, result.measured.seconds);
  return json;
}

MethodResult from_json(const Json& json) {
  MethodResult result{json.at("method").get<std::string>(), {}};
  for (const ScorecardColumn& column : kScorecardColumns)
    result.measured.*column.field = json.value(std::string(column.name), Scorecard::kNone);
  result.measured.seconds = json.value(kSeconds, Scorecard::kNone);
  return result;
}

}  // namespace

StudyJournal::StudyJournal(std::string path, const Json& specification) : path_(std::move(path)) {
  if (!std::filesystem::exists(path_)) {
    append(specification.dump());
    return;
  }
  const std::size_t whole = read(specification);
  if (whole < std::filesystem::file_size(path_)) std::filesystem::resize_file(path_, whole);
  if (whole == 0) append(specification.dump());
}

std::size_t StudyJournal::read(const Json& specification) {
  std::ifstream file(path_, std::ios::binary);
  std::string line;
  std::size_t whole = 0;
  while (std::getline(file, line) && !file.eof()) {
    try {
      read_line(Json::parse(line), specification, whole == 0);
    } catch (const Json::exception&) {
      throw Error(
          ErrorCode::kInput,
          fmt::format("{}: this file should have the finished results of otss study, but has "
                      "something else; remove the file, or choose another folder with -o",
                      path_));
    }
    whole += line.size() + 1;
  }
  return whole;
}

void StudyJournal::read_line(const Json& json, const Json& specification, bool first) {
  if (first && json != specification) {
    throw Error(
        ErrorCode::kInput,
        fmt::format("{}: this file has results of another specification or version of the "
                    "study; choose another folder with -o, or remove the folder of this file",
                    path_));
  }
  if (first) return;
  std::vector<MethodResult> results;
  for (const Json& result : json.at("results")) results.push_back(from_json(result));
  finished_[{json.at("setting").get<std::string>(), json.at("seed").get<std::uint64_t>()}] =
      std::move(results);
}

const std::vector<MethodResult>* StudyJournal::find(const std::string& setting,
                                                    std::uint64_t seed) const {
  const auto found = finished_.find({setting, seed});
  return found == finished_.end() ? nullptr : &found->second;
}

void StudyJournal::add(const std::string& setting, std::uint64_t seed,
                       std::vector<MethodResult> results) {
  Json list = Json::array();
  for (const MethodResult& result : results) list.push_back(to_json(result));
  const std::lock_guard lock(mutex_);
  append(Json{{"setting", setting}, {"seed", seed}, {"results", list}}.dump());
  finished_[{setting, seed}] = std::move(results);
}

void StudyJournal::append(const std::string& line) {
  std::ofstream file(path_, std::ios::binary | std::ios::app);
  file << line << '\n';
  file.flush();
  if (!file) {
    throw Error(ErrorCode::kIo,
                fmt::format("{}: cannot write to this file ({}); choose another folder with -o",
                            path_, std::strerror(errno)));
  }
}

}  // namespace otss::internal
