#include "base/json.hpp"

#include <fmt/core.h>
#include <openssl/evp.h>

#include <array>
#include <cmath>

#include "otss/base/error.hpp"

namespace otss::internal {

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    throw Error(ErrorCode::kFailed,
                "the system's OpenSSL library does not provide SHA-256; install OpenSSL 3");
  }
  std::string hex;
  for (unsigned i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

namespace {

void append_number(const Json& number, std::string& out) {
  const double value = number.get<double>();
  if (!number.is_number_float() || !std::isfinite(value)) {
    out += number.dump();  // a whole number, or null instead of NaN
    return;
  }
  const std::string digits = fmt::format("{}", value);
  out += digits;
  if (digits.find_first_of(".e") == std::string::npos) out += ".0";
}

void append_text(const Json& value, std::string& out);

void append_object(const Json& object, std::string& out) {
  out += '{';
  for (auto entry = object.begin(); entry != object.end(); ++entry) {
    if (entry != object.begin()) out += ',';
    out += Json(entry.key()).dump() + ':';
    append_text(*entry, out);
  }
  out += '}';
}

void append_text(const Json& value, std::string& out) {
  if (value.is_number()) return append_number(value, out);
  if (value.is_object()) return append_object(value, out);
  if (!value.is_array()) {
    out += value.dump();
    return;
  }
  out += '[';
  bool first = true;
  for (const Json& item : value) {
    if (!first) out += ',';
    first = false;
    append_text(item, out);
  }
  out += ']';
}

}  // namespace

std::string json_text(const Json& document) {
  std::string text;
  append_text(document, text);
  return text;
}

JsonFields::JsonFields(const Json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (!object_.is_object())
    throw Error(ErrorCode::kInput, fmt::format("{}: this value is not a JSON object", where_));
}

void JsonFields::fail(const std::string& name, std::string_view problem) const {
  throw Error(ErrorCode::kInput, fmt::format("{}: field '{}' {}", where_, name, problem));
}

bool JsonFields::has(const std::string& name) const { return object_.contains(name); }

const Json& JsonFields::field(const std::string& name) {
  const auto found = object_.find(name);
  if (found == object_.end()) fail(name, "is missing");
  asked_.insert(name);
  return *found;
}

double JsonFields::number(const std::string& name) {
  const Json& value = field(name);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    fail(name, "is not a finite number");
  return value.get<double>();
}

std::string JsonFields::text(const std::string& name) {
  const Json& value = field(name);
  if (!value.is_string()) fail(name, "is not a string");
  return value.get<std::string>();
}

bool JsonFields::flag(const std::string& name) {
  const Json& value = field(name);
  if (!value.is_boolean()) fail(name, "is not true or false");
  return value.get<bool>();
}

const Json& JsonFields::array(const std::string& name) {
  const Json& value = field(name);
  if (!value.is_array()) fail(name, "is not a list");
  return value;
}

std::vector<double> JsonFields::numbers(const std::string& name) {
  std::vector<double> result;
  for (const Json& value : array(name)) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      fail(name, "has an element that is not a finite number");
    result.push_back(value.get<double>());
  }
  return result;
}

std::vector<std::string> JsonFields::texts(const std::string& name) {
  std::vector<std::string> result;
  for (const Json& value : array(name)) {
    if (!value.is_string()) fail(name, "has an element that is not a string");
    result.push_back(value.get<std::string>());
  }
  return result;
}

JsonFields JsonFields::object(const std::string& name) {
  return JsonFields(field(name), fmt::format("{}: {}", where_, name));
}

void JsonFields::finish() const {
  for (const auto& [name, value] : object_.items()) {
    if (!asked_.contains(name)) {
      fail(name, "is unknown to this version of otss; install the version that wrote the file");
    }
  }
}

}  // namespace otss::internal
