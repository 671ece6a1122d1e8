#include "otss/model/model_file.hpp"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/json.hpp"
#include "base/profile.hpp"
#include "model/file/model_json.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

constexpr std::uintmax_t kMaxBytes = 256U << 20U;
// A short number in a file needs much more memory than its text. These limits bound the memory that
// any file can need. No model has so many values or lists.
constexpr std::size_t kMostValues = 16'000'000, kMostLists = 1'000'000;
// The largest nesting depth that a model file may have. A file that is nested more deeply could
// exhaust the stack. otss never writes such a file.
constexpr int kMaxDepth = 32;

// Returns the hash of a document. For the hash, the document is written without white space and
// with sorted keys.
std::string checksum_of(const Json& document, NumberText numbers = NumberText::kShortest) {
  return sha256_hex_without(document, "checksum", numbers);
}

// Returns true if `checksum` is the hash of the document. For the hash of an older file, numbers
// are written as dump() writes them.
bool has_checksum(const Json& document, const std::string& checksum) {
  return checksum == checksum_of(document) ||
         checksum == checksum_of(document, NumberText::kOfDump);
}

bool is_flat(const Json& value) {
  for (const Json& item : value) {
    if (item.is_structured()) return false;
  }
  return true;
}

// Prints a document as nlohmann's dump(2) does, except that a list of plain values is printed on
// one line. So the slopes of a gate look like a matrix.
void print(const Json& value, int indent, std::string& out) {
  if (!value.is_structured() || value.empty() || (value.is_array() && is_flat(value))) {
    out += json_text(value);
    return;
  }
  const std::string padding(indent + 2, ' ');
  out += value.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, item] : value.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out += padding;
    if (value.is_object()) out += Json(key).dump() + ": ";
    print(item, indent + 2, out);
  }
  out += '\n' + std::string(indent, ' ') + (value.is_object() ? '}' : ']');
}

Json parse(std::string_view text, const std::string& name) {
  // Holds, for each object that is not closed yet, the keys that were read so far. A key that is
  // given twice is refused.
  std::vector<std::set<std::string>> keys;
  std::size_t num_values = 0, num_lists = 0;
  const auto check = [&](int depth, Json::parse_event_t event, Json& value) {
    const auto refuse = [&](const char* what) {
      throw Error(
          ErrorCode::kInput,
          fmt::format(
              "{}: the JSON document {} for a model file; give a model file that otss fit wrote",
              name, what));
    };
    if (depth > kMaxDepth) refuse("is nested too deeply");
    const bool is_list =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    num_lists += is_list ? 1 : 0;
    num_values += event == Json::parse_event_t::value ? 1 : 0;
    if (num_lists > kMostLists || num_values > kMostValues) refuse("has too many values");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
      throw Error(ErrorCode::kInput,
                  fmt::format("{}: field '{}' is given twice; fit the model again", name,
                              value.get<std::string>()));
    }
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::exception&) {
    throw Error(ErrorCode::kInput,
                fmt::format("{}: this is not a complete JSON document, so the file is truncated or "
                            "not a model; give a model file that otss fit wrote",
                            name));
  }
}

int version_of(JsonFields& fields, const std::string& name) {
  const double version = fields.number("version");
  if (version >= 1 && version <= kModelVersion && version == std::floor(version))
    return static_cast<int>(version);
  throw Error(ErrorCode::kInput,
              fmt::format("{}: the model format has version {}, but this program reads versions 1 "
                          "to {}; use a newer otss, or fit the model again",
                          name, version, kModelVersion));
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::string model_to_text(const Fitted& fitted) {
  Json document = model_to_json(fitted);
  document["checksum"] = checksum_of(document);
  std::string text;
  print(document, 0, text);
  return text + '\n';
}

std::string model_checksum(const Fitted& fitted) { return checksum_of(model_to_json(fitted)); }

Fitted model_from_text(std::string_view text, const std::string& name) {
  const Json document = parse(text, name);
  if (!document.is_object() || !document.contains("format") || document["format"] != "otss-model") {
    throw Error(
        ErrorCode::kInput,
        fmt::format(
            "{}: this JSON file is not an otss model; give a model file that otss fit wrote",
            name));
  }
  JsonFields fields(document, name);
  fields.field("format");
  const int version = version_of(fields, name);
  if (!has_checksum(document, fields.text("checksum"))) {
    throw Error(ErrorCode::kInput, fmt::format("{}: the checksum does not match, so the file was "
                                               "altered; fit the model again, or restore the file",
                                               name));
  }
  try {
    return model_from_json(fields, version);
  } catch (const Json::exception& e) {
    throw Error(ErrorCode::kInput, fmt::format("{}: {}", name, e.what()));
  } catch (const Error& error) {
    // An error may come from code that does not know the name of the file, such as the encoder. The
    // name is then added here.
    const std::string_view message = error.what();
    if (message.starts_with(name)) throw;
    throw Error(error.code(), fmt::format("{}: {}", name, message));
  }
}

void save_model(const Fitted& fitted, const std::string& path) {
  const StageTimer timer(Stage::kWrite);
  AtomicFile file(path);
  file.write(model_to_text(fitted));
  file.commit();
}

Fitted load_model(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw Error(ErrorCode::kInput,
                fmt::format("{}: there is no such model file; check the path", path));
  }
  if (std::filesystem::is_directory(status)) {
    throw Error(ErrorCode::kInput,
                fmt::format("{}: this path is a folder; give a model file", path));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw Error(ErrorCode::kInput,
                fmt::format("{}: the file cannot be read; check its permissions", path));
  std::string text;
  std::string block(1U << 20U, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxBytes) {
      throw Error(ErrorCode::kInput,
                  fmt::format("{}: the file is larger than {} MB, so it is not a "
                              "model; give a model file that otss fit wrote",
                              path, kMaxBytes >> 20U));
    }
  }
  return model_from_text(text, path);
}

}  // namespace otss
