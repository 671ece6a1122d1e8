#include "stream_arguments.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <utility>

#include "messages.hpp"
#include "otss/base/error.hpp"
#include "otss/data/stream.hpp"
#include "otss/learn/stream.hpp"
#include "otss/model/scratch_file.hpp"

namespace otss::app {
namespace {

// A table is streamed if its encoded rows would take more than this share of the memory.
constexpr double kShareOfMemory = 0.5;

// Returns the bytes of a size such as "1GB", where 1 GB is 10⁹ bytes.
std::size_t bytes_of(const std::string& size) {
  constexpr std::array<std::pair<const char*, double>, 3> kUnits{
      {{"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}};
  double number = 0;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), number);
  const std::string unit(end, size.data() + size.size());
  for (const auto& [name, bytes] : kUnits) {
    if (error == std::errc() && unit == name && number > 0 && number * bytes < 1e18)
      return static_cast<std::size_t>(number * bytes);
  }
  throw Error(ErrorCode::kUsage,
              fmt::format("--memory {}: give a number and a unit, such as 500MB or 4GB", size));
}

// Returns about how many bytes the encoded rows of a file have. The values of a CSV file have about
// eight characters, and each becomes four bytes; compressed files are several times as small.
double encoded_bytes(const std::filesystem::path& file) {
  std::error_code error;
  const auto bytes = static_cast<double>(std::filesystem::file_size(file, error));
  if (error) return 0;
  if (file.extension() == ".gz") return 2 * bytes;
  return file.extension() == ".parquet" ? bytes : bytes / 2;
}

}  // namespace

void StreamArguments::add(CLI::App& command) {
  command.add_flag(
      "--stream", stream,
      "keep the encoded rows on disk instead of in memory; the model is the same. This "
      "is automatic if they would fill more than half of the memory");
  command
      .add_option("--memory", memory,
                  "how much memory the fit may use, such as 1GB; without it, the memory of the "
                  "machine")
      ->type_name("SIZE");
  command
      .add_option("--scratch", scratch,
                  "keep the encoded rows in this file; a later fit with the same file, columns and "
                  "log does not read the log again")
      ->type_name("FILE");
}

std::size_t StreamArguments::memory_bytes() const {
  if (!memory.empty()) return bytes_of(memory);
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

bool StreamArguments::is_streamed(const TableSource& source,
                                  const std::string& needs_memory) const {
  const bool asked = stream || !scratch.empty();
  if (asked && !needs_memory.empty())
    throw Error(ErrorCode::kUsage,
                fmt::format("{0} needs all rows in memory, so it cannot be combined with --stream "
                            "or --scratch; leave out {0}, or these options",
                            needs_memory));
  if (asked || !needs_memory.empty()) return asked;
  double bytes = 0;
  for (const std::string& file : table_files(source)) bytes += encoded_bytes(file);
  return bytes > kShareOfMemory * static_cast<double>(memory_bytes());
}

LoggedData StreamArguments::read(TableReader reader, const Roles& roles, OutcomeKind outcome,
                                 const std::string& output) const {
  const TableSource source = reader.source();
  const std::string key = scratch.empty() ? "" : scratch_key(source, roles, outcome);
  if (!scratch.empty()) {
    if (auto log = load_scratch(scratch, key)) {
      note("the encoded rows of {} are used; the log is not read again", scratch);
      require_memory(*log, memory_bytes());
      return *std::move(log);
    }
  }
  const std::filesystem::path beside = scratch.empty() ? output : scratch;
  const std::string folder =
      beside.has_parent_path() ? beside.parent_path().string() : std::string(".");
  LoggedData log = stream_log(std::move(reader), roles, outcome, folder);
  require_memory(log, memory_bytes());
  if (!scratch.empty()) save_scratch(log, key, scratch);
  return log;
}

}  // namespace otss::app
