// Strict reading of JSON: fields are requested by name and type; a field that no code requested is
// an error.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace otss {

using Json = nlohmann::json;

// Returns the SHA-256 of a text, as 64 hexadecimal digits.
std::string sha256_hex(std::string_view text);

// Returns the SHA-256 of object.dump() without one of its fields. Neither the object nor its text is
// copied, since both may be large.
std::string sha256_hex_without(const Json& object, std::string_view field);

// One object of a document. Error messages begin with `where` ("model.json: schema.contexts[2]").
class JsonFields {
 public:
  JsonFields(const Json& object, std::string where);

  const Json& field(const std::string& name);  // a value of any type; a missing field is an error
  bool has(const std::string& name) const;
  double number(const std::string& name);  // a finite number
  std::string text(const std::string& name);
  bool flag(const std::string& name);
  std::vector<double> numbers(const std::string& name);  // finite numbers
  std::vector<std::string> texts(const std::string& name);
  const Json& array(const std::string& name);
  JsonFields object(const std::string& name);

  // Throws an Error if the object has a field that was not requested, because this version of otss
  // does not know the meaning of that field.
  void finish() const;

  const std::string& where() const { return where_; }
  [[noreturn]] void fail(const std::string& name, std::string_view problem) const;

 private:
  const Json& object_;
  std::string where_;
  std::set<std::string> asked_;
};

}  // namespace otss
