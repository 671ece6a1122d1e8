#include "data/duckdb/source_files.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <glob.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/atomic_file.hpp"
#include "otss/base/error.hpp"

namespace otss::duck {
namespace {

namespace fs = std::filesystem;

Error bad_input(const std::string& message) { return {ErrorCode::kInput, message}; }

Format format_of(std::string name) {
  const std::string whole = name;
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const bool compressed = name != whole;
  if (name.ends_with(".csv") || name.ends_with(".tsv")) return Format::kCsv;
  if (name.ends_with(".json") || name.ends_with(".jsonl") || name.ends_with(".ndjson")) {
    return Format::kJson;
  }
  if (name.ends_with(".parquet") && !compressed) return Format::kParquet;
  throw bad_input(fmt::format(
      "'{}' has an ending that is not known; tables end in .csv, .csv.gz, .parquet or .json",
      whole));
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
        fmt::format("'{0}' is a folder; name a file, or a glob such as '{0}/*.csv'", file));
  }
  if (access(file.c_str(), R_OK) != 0) {
    throw Error(ErrorCode::kIo, fmt::format("cannot read '{}': {}", file, std::strerror(errno)));
  }
  if (fs::is_regular_file(status) && fs::file_size(file, error) == 0) {
    throw bad_input(fmt::format("'{}' is empty; a table needs a header and rows", file));
  }
}

void check_one_format(const SourceFiles& source) {
  for (const std::string& file : source.files) {
    if (format_of(file) == source.format) continue;
    throw bad_input(fmt::format("'{}' matches files of several formats ('{}' and '{}'); name one",
                                source.name, source.files.front(), file));
  }
}

void copy_standard_input(int target) {
  std::array<char, 1 << 16> buffer{};
  while (true) {
    const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw Error(ErrorCode::kIo,
                  fmt::format("cannot read standard input: {}", std::strerror(errno)));
    }
    if (count == 0) return;
    if (!write_fully(target, {buffer.data(), static_cast<std::size_t>(count)})) {
      throw Error(ErrorCode::kIo, fmt::format("cannot keep standard input in a temporary file: {}; "
                                              "set TMPDIR to a folder with space",
                                              std::strerror(errno)));
    }
  }
}

}  // namespace

SpooledInput::SpooledInput() {
  std::error_code ignored;
  path_ = (fs::temp_directory_path(ignored) / "otss-stdin-XXXXXX.csv").string();
  const int descriptor = mkostemps(path_.data(), 4, O_CLOEXEC);
  if (descriptor < 0) {
    throw Error(ErrorCode::kIo, fmt::format("cannot create '{}': {}; set TMPDIR to another folder",
                                            path_, std::strerror(errno)));
  }
  try {
    copy_standard_input(descriptor);
  } catch (...) {
    close(descriptor);
    unlink(path_.c_str());
    throw;
  }
  close(descriptor);
}

SpooledInput::~SpooledInput() { unlink(path_.c_str()); }

SourceFiles find_source_files(const std::string& path) {
  SourceFiles source;
  source.name = path;
  if (path == "-") {
    source.name = "standard input";
    source.spool = std::make_unique<SpooledInput>();
    source.files = {source.spool->path()};
    if (fs::file_size(source.files.front()) == 0) {
      throw bad_input("standard input is empty; a table needs a header and rows");
    }
    return source;
  }
  std::error_code ignored;
  const bool literal = !is_glob(path) || fs::exists(path, ignored);
  source.files = literal ? std::vector<std::string>{path} : expand_glob(path);
  for (const std::string& file : source.files) check_readable(file);
  source.format = format_of(source.files.front());
  check_one_format(source);
  return source;
}

}  // namespace otss::duck
