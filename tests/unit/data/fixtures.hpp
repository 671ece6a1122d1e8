// What the data tests share: a folder that dies with the test, and errors judged by their words.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "otss-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  // Any table as Parquet or JSON, through our own writer.
  std::string convert(const std::string& from, const std::string& name) const {
    const TableReader reader(TableSource{from, ""});
    std::vector<ColumnRequest> requests;
    for (const ColumnInfo& column : reader.columns()) {
      requests.push_back({column.name, column.kind == ColumnKind::kText});
    }
    TableWriter writer(path(name), reader.columns());
    reader.read(requests, [&](const TableChunk& chunk) { writer.write(chunk); });
    writer.commit();
    return path(name);
  }

  std::size_t num_files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_),
                                                  std::filesystem::directory_iterator()));
  }

 private:
  std::string path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The message of the Error `act` throws; every message is a single line.
template <class Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  ADD_FAILURE() << "no otss::Error was thrown";
  return "";
}

}  // namespace otss
