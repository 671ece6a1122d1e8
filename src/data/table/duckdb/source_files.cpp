#include "data/table/duckdb/source_files.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <glob.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/interrupt.hpp"
#include "base/temporary_files.hpp"
#include "data/table/gzip_check.hpp"
#include "data/table/letter_case.hpp"
#include "otss/base/error.hpp"
#include "otss/base/printable.hpp"

namespace otss::internal::duck {
namespace {

namespace fs = std::filesystem;

Error bad_input(const std::string& message) { return {ErrorCode::kInput, message}; }

Format format_of(const std::string& file) {
  std::string name = lower_case(file);
  const bool compressed = is_gzip(file);
  if (compressed) name.resize(name.size() - 3);
  for (const char* suffix : {".csv", ".tsv", ".txt", ".tab"}) {
    if (name.ends_with(suffix)) return Format::kCsv;
  }
  if (name.ends_with(".json") || name.ends_with(".jsonl") || name.ends_with(".ndjson")) {
    return Format::kJson;
  }
  if (name.ends_with(".parquet") && !compressed) return Format::kParquet;
  if (name.ends_with(".xlsx") || name.ends_with(".xls") || name.ends_with(".ods")) {
    throw bad_input(fmt::format(
        "'{}' is a workbook of a spreadsheet program; save its sheet as .csv (\"CSV UTF-8\"), or "
        "write it as .parquet",
        file));
  }
  throw bad_input(fmt::format(
      "'{}' has an unknown suffix; give a file whose name ends in .csv, .tsv, .txt, .csv.gz, "
      ".parquet or .json",
      file));
}

std::vector<std::string> expand_glob(const std::string& pattern) {
  glob_t matches{};
  const int status = glob(pattern.c_str(), 0, nullptr, &matches);
  std::vector<std::string> files;
  for (std::size_t i = 0; status == 0 && i < matches.gl_pathc; ++i) {
    files.emplace_back(matches.gl_pathv[i]);
  }
  globfree(&matches);
  if (files.empty())
    throw bad_input(fmt::format("no file matches '{}'; check the pattern", pattern));
  return files;
}

bool is_glob(const std::string& path) { return path.find_first_of("*?[") != std::string::npos; }

void check_readable(const std::string& file) {
  std::error_code error;
  const auto status = fs::status(file, error);
  if (!fs::exists(status)) {
    throw bad_input(fmt::format("'{}' does not exist; check the path", file));
  }
  if (fs::is_directory(status)) {
    throw bad_input(
        fmt::format("'{0}' is a folder; give a file, or a pattern such as '{0}/*.csv'", file));
  }
  if (access(file.c_str(), R_OK) != 0) {
    throw Error(ErrorCode::kIo,
                fmt::format("cannot read '{}': {}; check the permissions of the file", file,
                            std::strerror(errno)));
  }
  if (fs::is_regular_file(status) && fs::file_size(file, error) == 0) {
    throw bad_input(fmt::format("'{}' is empty; give a file with a header and rows", file));
  }
}

void check_one_format(const SourceFiles& source) {
  for (const std::string& file : source.files) {
    if (format_of(file) == source.format) continue;
    throw bad_input(fmt::format(
        "'{}' matches files of several formats ('{}' and '{}'); give a pattern for one format",
        source.name, source.files.front(), file));
  }
}

// Other formats are read more than once, which would be slow from far away.
void check_remote(const std::string& path) {
  const std::string name = lower_case(path.substr(0, path.find('?')));
  if (name.ends_with(".parquet")) return;
  throw bad_input(
      fmt::format("'{}' is not on this machine and not a .parquet file; copy the file to this "
                  "machine, or store it as .parquet",
                  path.substr(0, path.find('?'))));
}

// Waits until the stream has data, and looks for signals meanwhile, so that Ctrl-C works while the
// stream sends nothing.
void wait_for_bytes(int stream) {
  constexpr int kMilliseconds = 100;
  pollfd waiting{stream, POLLIN, 0};
  while (poll(&waiting, 1, kMilliseconds) <= 0) check_interrupt();
  check_interrupt();
}

void copy_stream(int stream, int target, const std::string& name) {
  std::array<char, 1 << 16> buffer{};
  while (true) {
    wait_for_bytes(stream);
    const ssize_t count = read(stream, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) {
      throw Error(ErrorCode::kIo, fmt::format("cannot read {}: {}; give a file instead", name,
                                              std::strerror(errno)));
    }
    if (count == 0) return;
    if (!write_fully(target, {buffer.data(), static_cast<std::size_t>(count)})) {
      throw Error(ErrorCode::kIo, fmt::format("cannot copy {} to a temporary file: {}; "
                                              "set TMPDIR to a folder with free space",
                                              name, std::strerror(errno)));
    }
  }
}

void spool(SourceFiles& source, int stream) {
  source.spool = std::make_unique<SpooledInput>(stream, source.name);
  source.files = {source.spool->path()};
  if (fs::file_size(source.files.front()) == 0) {
    throw bad_input(source.name +
                    " is empty, or was read before (a stream can be read only once); send a header "
                    "and rows, and use the stream for only one table");
  }
}

// Copies a named pipe, such as a shell's <(command), to a temporary file. Like standard input, the
// pipe must contain CSV.
void spool_pipe(SourceFiles& source) {
  // Without O_NONBLOCK, open would wait until another process opens the pipe for writing, and
  // Ctrl-C would not end this wait.
  const int stream = open(source.argument.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (stream < 0) {
    throw Error(ErrorCode::kIo,
                fmt::format("cannot read '{}': {}; check its permissions, or give a file",
                            source.argument, std::strerror(errno)));
  }
  try {
    spool(source, stream);
  } catch (...) {
    close(stream);
    throw;
  }
  close(stream);
}

}  // namespace

SpooledInput::SpooledInput(int stream, const std::string& name) {
  std::error_code ignored;
  path_ = (fs::temp_directory_path(ignored) / "otss-stdin-XXXXXX.csv").string();
  const int descriptor = mkostemps(path_.data(), 4, O_CLOEXEC);
  if (descriptor < 0) {
    throw Error(ErrorCode::kIo, fmt::format("cannot create '{}': {}; set TMPDIR to another folder",
                                            path_, std::strerror(errno)));
  }
  register_temporary_file(path_);
  try {
    copy_stream(stream, descriptor, name);
  } catch (...) {
    close(descriptor);
    remove();
    throw;
  }
  close(descriptor);
}

SpooledInput::~SpooledInput() { remove(); }

void SpooledInput::remove() const {
  unregister_temporary_file(path_);
  unlink(path_.c_str());
}

bool is_gzip(const std::string& file) { return lower_case(file).ends_with(".gz"); }

std::string compression_sql(const std::vector<std::string>& files) {
  return std::all_of(files.begin(), files.end(), is_gzip) ? ", compression = 'gzip'" : "";
}

bool is_remote(const std::string& path) {
  for (const char* scheme : {"s3://", "gs://", "gcs://", "r2://", "https://", "http://"}) {
    if (path.starts_with(scheme)) return true;
  }
  return false;
}

std::vector<std::string> matching_files(const std::string& path) {
  std::error_code ignored;
  const bool literal = !is_glob(path) || fs::exists(path, ignored);
  return literal ? std::vector<std::string>{path} : expand_glob(path);
}

SourceFiles find_source_files(const std::string& path) {
  SourceFiles source;
  source.argument = path;
  source.name = path;
  if (path == "-") {
    source.name = "standard input";
    spool(source, STDIN_FILENO);
    return source;
  }
  if (is_remote(path)) {
    check_remote(path);
    // What follows the question mark of a web address may be a secret.
    if (path.starts_with("http")) source.name = path.substr(0, path.find('?'));
    source.files = {path};
    source.format = Format::kParquet;
    source.is_remote = true;
    return source;
  }
  source.files = matching_files(path);
  for (const std::string& file : source.files) check_readable(file);
  if (source.files.size() == 1 && fs::is_fifo(path)) {
    spool_pipe(source);
    return source;
  }
  source.format = format_of(source.files.front());
  check_one_format(source);
  for (const std::string& file : source.files) {
    if (is_gzip(file)) check_gzip_is_whole(file, source.display(file));
  }
  return source;
}

SourceFiles find_source(const TableSource& table) {
  if (table.memory != nullptr) return {.name = table.memory->name, .format = Format::kMemory};
  if (!is_database(table.path)) return find_source_files(table.path);
  return {.name = without_passwords(table.path), .format = Format::kServer};
}

std::string local_query(const TableSource& table) {
  std::string query = is_database(table.path) ? "" : table.query;
  while (!query.empty() &&
         (query.back() == ';' || std::isspace(static_cast<unsigned char>(query.back())) != 0)) {
    query.pop_back();
  }
  return query;
}

}  // namespace otss::internal::duck
