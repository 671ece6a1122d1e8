#include "base/json.hpp"

#include <fmt/core.h>
#include <openssl/evp.h>

#include <array>
#include <cmath>
#include <memory>

#include "otss/base/error.hpp"

namespace otss::internal {

namespace {

void append_number(const Json& number, std::string& out) {
  const double value = number.get<double>();
  if (!number.is_number_float() || !std::isfinite(value)) {
    out += number.dump();  // dump() writes whole numbers, and null for NaN
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

namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }

  void add(std::string_view text) {
    check(EVP_DigestUpdate(context_.get(), text.data(), text.size()) == 1);
  }

  // Adds the JSON text of a value to the hash in small pieces, so that the whole text is never in
  // memory.
  void add_value(const Json& value, NumberText numbers) {
    if (value.is_array()) {
      add_items(value, '[', ']', numbers);
    } else if (value.is_object()) {
      add_items(value, '{', '}', numbers);
    } else {
      add(numbers == NumberText::kShortest ? json_text(value) : value.dump());
    }
  }

  void add_items(const Json& value, char open, char close, NumberText numbers,
                 std::string_view except = {}) {
    const bool has_keys = value.is_object();
    char separator = open;
    for (auto item = value.begin(); item != value.end(); ++item) {
      if (has_keys && !except.empty() && item.key() == except) continue;
      add(std::string_view(&separator, 1));
      separator = ',';
      if (has_keys) add(Json(item.key()).dump() + ':');
      add_value(*item, numbers);
    }
    if (separator == open) add(std::string_view(&open, 1));
    add(std::string_view(&close, 1));
  }

  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    check(EVP_DigestFinal_ex(context_.get(), digest.data(), &length) == 1);
    std::string text;
    for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
  }

 private:
  static void check(bool done) {
    if (!done)
      throw Error(ErrorCode::kFailed,
                  "the system's OpenSSL library does not provide SHA-256; install OpenSSL 3");
  }

  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

}  // namespace

std::string sha256_hex(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.hex();
}

std::string sha256_hex_without(const Json& object, std::string_view field, NumberText numbers) {
  Sha256 hash;
  hash.add_items(object, '{', '}', numbers, field);
  return hash.hex();
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

std::size_t JsonFields::count(const std::string& name) {
  constexpr double kMost = 9e15;
  const double value = number(name);
  if (!(value >= 0 && value <= kMost && value == std::floor(value)))
    fail(name, "is not a count (0, 1, 2, …)");
  return static_cast<std::size_t>(value);
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
