#include "otss/model/scratch_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/threads.hpp"
#include "data/log/disk/tile_file.hpp"
#include "data/log/fingerprint.hpp"
#include "data/log/tile_matrix.hpp"
#include "model/file/model_json.hpp"
#include "model/file/schema_json.hpp"
#include "otss/base/error.hpp"
#include "otss/data/stream.hpp"

namespace otss::internal {
namespace {

// The file has the tiles, then the labels of the rows and the checksums of the tiles, then a JSON
// document with the rest, then the end mark. Everything is in the byte order of this machine.
struct EndMark {
  std::array<char, 16> format = {};  // kScratchFormat
  std::uint64_t document_bytes = 0;
  std::uint64_t body_bytes = 0;  // the size of everything before the end mark
  std::uint64_t checksum = 0;    // of everything before the end mark
};

constexpr std::string_view kScratchFormat = "otss-scratch-2\n";
// The checksum is computed for blocks of this size at the same time.
constexpr std::size_t kChecksumBlock = 1 << 20;

[[noreturn]] void refuse_scratch(const std::string& path, std::string_view problem) {
  throw Error(
      ErrorCode::kInput,
      fmt::format("{}: {}; remove the file, or give --scratch another name", path, problem));
}

[[noreturn]] void fail_to_write(const std::string& path, int error) {
  throw Error(ErrorCode::kIo, fmt::format("{}: cannot write the scratch file: {}; give --scratch "
                                          "FILE in a folder with enough free space",
                                          path, std::strerror(error)));
}

[[noreturn]] void refuse_source(const std::string& source) {
  throw Error(
      ErrorCode::kUsage,
      fmt::format("--scratch cannot tell whether '{}' has changed since the scratch file was "
                  "made; give a file, or leave out --scratch",
                  source));
}

bool read_at(int descriptor, std::size_t offset, void* to, std::size_t bytes) {
  auto* next = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t count = pread(descriptor, next, bytes, static_cast<off_t>(offset));
    if (count <= 0) return false;
    next += count;
    offset += static_cast<std::size_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

// Returns the checksum of the first bytes of a file: a hash of the hashes of its blocks.
std::uint64_t file_checksum(int descriptor, std::size_t bytes, const std::string& path) {
  std::vector<std::uint64_t> hashes((bytes + kChecksumBlock - 1) / kChecksumBlock);
  parallel_for(hashes.size(), 0, [&](std::size_t block) {
    std::string text(std::min(kChecksumBlock, bytes - block * kChecksumBlock), '\0');
    if (!read_at(descriptor, block * kChecksumBlock, text.data(), text.size()))
      refuse_scratch(path, "the scratch file cannot be read");
    hashes[block] = hash_text(text);
  });
  return hash_text(
      {reinterpret_cast<const char*>(hashes.data()), hashes.size() * sizeof(std::uint64_t)});
}

// Writes values one after the other, from the given place in a file on.
class FileEnd {
 public:
  FileEnd(int descriptor, std::size_t offset, const std::string& path)
      : descriptor_(descriptor), offset_(offset), path_(path) {}

  template <class T>
  void write(std::span<const T> values) {
    const auto* next = reinterpret_cast<const char*>(values.data());
    std::size_t bytes = values.size_bytes();
    while (bytes > 0) {
      const ssize_t count = pwrite(descriptor_, next, bytes, static_cast<off_t>(offset_));
      if (count < 0) fail_to_write(path_, errno);
      next += count;
      offset_ += static_cast<std::size_t>(count);
      bytes -= static_cast<std::size_t>(count);
    }
  }
  std::size_t offset() const { return offset_; }

 private:
  int descriptor_;
  std::size_t offset_;
  const std::string& path_;
};

// Reads labels one after the other.
class LabelReader {
 public:
  LabelReader(int descriptor, std::size_t offset, std::size_t end, const std::string& path)
      : descriptor_(descriptor), offset_(offset), end_(end), path_(path) {}

  template <class T>
  std::vector<T> read(std::size_t count) {
    if (count > (end_ - offset_) / sizeof(T)) refuse_scratch(path_, "the scratch file is damaged");
    std::vector<T> values(count);
    if (!read_at(descriptor_, offset_, values.data(), count * sizeof(T)))
      refuse_scratch(path_, "the scratch file cannot be read");
    offset_ += count * sizeof(T);
    return values;
  }

 private:
  int descriptor_;
  std::size_t offset_, end_;
  const std::string& path_;
};

// Returns the end mark of a file whose format, size and checksum are right.
EndMark checked_end(int descriptor, const std::string& path) {
  struct stat status = {};
  EndMark end;
  if (fstat(descriptor, &status) != 0 || status.st_size < static_cast<off_t>(sizeof(end)) ||
      !read_at(descriptor, status.st_size - sizeof(end), &end, sizeof(end)) ||
      std::string_view(end.format.data(), kScratchFormat.size()) != kScratchFormat)
    refuse_scratch(path, "this is not a scratch file of otss");
  if (end.body_bytes != static_cast<std::size_t>(status.st_size) - sizeof(end) ||
      end.document_bytes > end.body_bytes ||
      end.checksum != file_checksum(descriptor, end.body_bytes, path))
    refuse_scratch(path, "the scratch file is damaged (its checksum is wrong)");
  return end;
}

LoggedData log_from(const std::shared_ptr<TileFile>& file, const EndMark& end, const Json& document,
                    const std::string& path) {
  JsonFields fields(document, path);
  fields.text("key");
  LoggedData::Parts parts;
  schema_from_json(fields.object("schema"), kModelVersion, parts.encoder, parts.roles);
  parts.fingerprint = fields.text("fingerprint");
  parts.notes = fields.texts("notes");
  const std::size_t rows = fields.count("rows");
  const auto columns = parts.encoder.num_encoded() + static_cast<int>(parts.encoder.factors.size());
  const std::size_t tiles = (rows + kTileRows - 1) / kTileRows;
  if (tiles > end.body_bytes / (kTileRows * columns * sizeof(float)))
    refuse_scratch(path, "the scratch file is damaged");
  LabelReader labels(file->descriptor(), tiles * kTileRows * columns * sizeof(float),
                     end.body_bytes - end.document_bytes, path);
  parts.outcomes = labels.read<float>(rows);
  parts.weights = labels.read<float>(fields.flag("weights") ? rows : 0);
  parts.times = labels.read<double>(fields.flag("times") ? rows : 0);
  parts.num_groups = fields.count("groups");
  parts.groups = labels.read<std::uint32_t>(parts.num_groups > 0 ? rows : 0);
  parts.group_hashes = labels.read<std::uint64_t>(parts.num_groups);
  parts.features =
      std::make_shared<const TileMatrix>(file, rows, columns, labels.read<std::uint64_t>(tiles));
  fields.finish();
  return LoggedData(std::move(parts));
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::string scratch_key(const TableSource& source, const Roles& roles, OutcomeKind outcome) {
  Encoder rules;
  rules.reading = source.rules;
  std::string key = fmt::format("query {}\noutcome {}\n{}\n", source.query,
                                static_cast<int>(outcome), json_text(schema_to_json(rules, roles)));
  const std::vector<std::string> files = table_files(source);
  for (const std::string& file : files) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    const auto time = std::filesystem::last_write_time(file, error).time_since_epoch().count();
    if (error) refuse_source(file);
    key += fmt::format("{} {} {}\n", std::filesystem::absolute(file).string(), size, time);
  }
  if (files.empty()) refuse_source(source.path);
  return key;
}

void save_scratch(const LoggedData& log, const std::string& key, const std::string& path) {
  const std::shared_ptr<TileFile>& file = log.features().file();
  const std::size_t tiles = log.features().num_tiles() * log.features().tile_size() * sizeof(float);
  file->cut(tiles);
  FileEnd body(file->descriptor(), tiles, path);
  body.write(log.outcomes());
  body.write(log.weights());
  body.write(log.times());
  body.write(log.groups());
  body.write(log.group_hashes());
  body.write(log.features().checksums());
  const std::string document = json_text({{"key", sha256_hex(key)},
                                          {"schema", schema_to_json(log.encoder(), log.roles())},
                                          {"fingerprint", log.fingerprint()},
                                          {"notes", log.notes()},
                                          {"rows", log.num_rows()},
                                          {"weights", !log.weights().empty()},
                                          {"times", !log.times().empty()},
                                          {"groups", log.num_groups()}});
  body.write(std::span<const char>(document));
  EndMark end{{}, document.size(), body.offset(), 0};
  std::ranges::copy(kScratchFormat, end.format.begin());
  end.checksum = file_checksum(file->descriptor(), body.offset(), path);
  body.write(std::span<const EndMark>(&end, 1));
  file->keep_as(path);
}

std::optional<LoggedData> load_scratch(const std::string& path, const std::string& key) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return std::nullopt;
  if (descriptor < 0) refuse_scratch(path, std::strerror(errno));
  const auto file = std::make_shared<TileFile>(descriptor, path);
  const EndMark end = checked_end(descriptor, path);
  std::string text(end.document_bytes, '\0');
  if (!read_at(descriptor, end.body_bytes - text.size(), text.data(), text.size()))
    refuse_scratch(path, "the scratch file cannot be read");
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("key") || !document["key"].is_string())
    refuse_scratch(path, "the scratch file is damaged");
  if (document["key"].get<std::string>() != sha256_hex(key))
    refuse_scratch(path,
                   "the scratch file was made from another table, from other files, or with other "
                   "columns");
  return log_from(file, end, document, path);
}

}  // namespace otss
