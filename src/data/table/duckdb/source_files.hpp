// SourceFiles has the files and the format that a user's table argument refers to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "otss/data/table.hpp"

namespace otss::internal::duck {

enum class Format { kCsv, kParquet, kJson, kMemory, kServer };

// Holds a copy of a stream in a temporary file. The copy is needed because a TableReader may read a
// table twice. The destructor removes the temporary file.
class SpooledInput {
 public:
  SpooledInput(int stream, const std::string& name);
  ~SpooledInput();
  SpooledInput(const SpooledInput&) = delete;
  SpooledInput& operator=(const SpooledInput&) = delete;
  const std::string& path() const { return path_; }

 private:
  void remove() const;

  std::string path_;
};

struct SourceFiles {
  std::string argument;  // the table argument as the user typed it
  std::string name;      // the name in messages: the argument, or "standard input"
  std::vector<std::string> files;
  Format format = Format::kCsv;
  std::unique_ptr<SpooledInput> spool;
  bool is_remote = false;  // true if the files are in an object store; `files` has then one entry

  // Returns the name that messages use for one of the files.
  std::string display(const std::string& file) const { return spool ? name : file; }
};

// Returns true if the path is the address of files in an object store or on a web server: s3://…,
// gs://…, https://… and so on.
bool is_remote(const std::string& path);

// Returns the files that match a glob, sorted by name. If the path is not a glob, returns the path
// itself.
std::vector<std::string> matching_files(const std::string& path);

bool is_gzip(const std::string& file);  // returns true if the suffix is .gz

// Returns an SQL argument that tells DuckDB the compression of the files. DuckDB by itself
// recognises the compression only if the suffix is in lower case.
std::string compression_sql(const std::vector<std::string>& files);

// Returns the files of a path, which may be a glob. Remote files are not looked up here. Throws an Error if a file does not exist,
// cannot be read, is empty, has an unknown suffix, or is compressed and not complete.
SourceFiles find_source_files(const std::string& path);

// Returns the same for a table that may also be in memory or on a server.
SourceFiles find_source(const TableSource& table);

// Returns the query that DuckDB applies to the table, without a semicolon at its end. The result is
// empty if the table is on a server, because the server executes the query.
std::string local_query(const TableSource& table);

}  // namespace otss::internal::duck
