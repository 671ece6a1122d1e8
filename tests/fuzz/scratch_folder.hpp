// A folder for the files of one fuzz process, in memory where the system has such a place.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace otss::fuzz {

class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name) {
    const std::filesystem::path memory = "/dev/shm";
    std::error_code none;
    const auto parent = std::filesystem::is_directory(memory, none)
                            ? memory
                            : std::filesystem::temp_directory_path();
    folder_ = parent / ("otss-fuzz-" + name + "-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  void write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }

  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace otss::fuzz
