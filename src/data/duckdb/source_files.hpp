// What a user's table argument names: which files, in which format.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace otss::duck {

enum class Format { kCsv, kParquet, kJson };

// Standard input, copied to a temporary file that dies with this object: a reader may pass over a
// table twice.
class SpooledInput {
 public:
  SpooledInput();
  ~SpooledInput();
  SpooledInput(const SpooledInput&) = delete;
  SpooledInput& operator=(const SpooledInput&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct SourceFiles {
  std::string name;  // as the user would call it
  std::vector<std::string> files;
  Format format = Format::kCsv;
  std::unique_ptr<SpooledInput> spool;

  // How to name one of the files in a message.
  std::string display(const std::string& file) const { return spool ? name : file; }
};

// Expands a glob, and checks that every file exists, is readable, is not empty and has a known
// ending.
SourceFiles find_source_files(const std::string& path);

}  // namespace otss::duck
