// The files and the format that a user's table argument refers to.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace otss::duck {

enum class Format { kCsv, kParquet, kJson };

// A stream, copied to a temporary file because readers may read a table twice. The destructor
// removes the file.
class SpooledInput {
 public:
  SpooledInput(int stream, const std::string& name);
  ~SpooledInput();
  SpooledInput(const SpooledInput&) = delete;
  SpooledInput& operator=(const SpooledInput&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct SourceFiles {
  std::string argument;  // as the user typed it
  std::string name;      // for messages: the argument, or "standard input"
  std::vector<std::string> files;
  Format format = Format::kCsv;
  std::unique_ptr<SpooledInput> spool;

  // How to name one of the files in a message.
  std::string display(const std::string& file) const { return spool ? name : file; }
};

// The files that match a glob, sorted by name; for a path that is not a glob, the path itself.
std::vector<std::string> matching_files(const std::string& path);

bool is_gzip(const std::string& file);  // by its suffix

// An SQL argument for DuckDB's readers: they recognise compression only by a lower-case suffix.
std::string compression_sql(const std::vector<std::string>& files);

// Expands a glob and checks that every file exists, is readable, is not empty, has a known suffix,
// and, if it is compressed, is complete.
SourceFiles find_source_files(const std::string& path);

}  // namespace otss::duck
