// What a user's table argument names: which files, in which format.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace otss::duck {

enum class Format { kCsv, kParquet, kJson };

// A stream, copied to a temporary file that dies with this object: a reader may pass over a table
// twice.
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
  std::string name;      // as the user would call it
  std::vector<std::string> files;
  Format format = Format::kCsv;
  std::unique_ptr<SpooledInput> spool;

  // How to name one of the files in a message.
  std::string display(const std::string& file) const { return spool ? name : file; }
};

// The files a glob stands for, in the order of their names; a path that is none stands for itself.
std::vector<std::string> matching_files(const std::string& path);

bool is_gzip(const std::string& file);  // by its ending

// An argument for DuckDB's readers, which know by themselves only endings in small letters.
std::string compression_sql(const std::vector<std::string>& files);

// Expands a glob, and checks that every file exists, is readable, is not empty, has a known
// ending, and is whole if it is packed.
SourceFiles find_source_files(const std::string& path);

}  // namespace otss::duck
