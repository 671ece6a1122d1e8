#include "base/json.hpp"

#include <fmt/core.h>
#include <openssl/evp.h>

#include <array>
#include <cmath>
#include <memory>

#include "otss/base/error.hpp"

namespace otss {

namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }

  void add(std::string_view text) {
    check(EVP_DigestUpdate(context_.get(), text.data(), text.size()) == 1);
  }

  // Adds value.dump().
  void add_dump(const Json& value) {
    if (value.is_array()) {
      add_items(value, '[', ']');
    } else if (value.is_object()) {
      add_items(value, '{', '}');
    } else {
      add(value.dump());
    }
  }

  void add_items(const Json& value, char open, char close, std::string_view except = {}) {
    const bool has_keys = value.is_object();
    char separator = open;
    for (auto item = value.begin(); item != value.end(); ++item) {
      if (has_keys && !except.empty() && item.key() == except) continue;
      add(std::string_view(&separator, 1));
      separator = ',';
      if (has_keys) add(Json(item.key()).dump() + ':');
      add_dump(*item);
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
      throw Error(ErrorCode::kFailed, "SHA-256 is not available in the system's crypto library");
  }

  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

}  // namespace

std::string sha256_hex(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.hex();
}

std::string sha256_hex_without(const Json& object, std::string_view field) {
  Sha256 hash;
  hash.add_items(object, '{', '}', field);
  return hash.hex();
}

JsonFields::JsonFields(const Json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (!object_.is_object())
    throw Error(ErrorCode::kInput, fmt::format("{}: expected an object", where_));
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
    if (!asked_.contains(name)) fail(name, "is unknown to this version");
  }
}

}  // namespace otss
