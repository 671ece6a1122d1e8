// JsonFields reads JSON strictly. The code that reads an object requests each field by name and
// type. A field that the code does not request is an error.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace otss::internal {

using Json = nlohmann::json;

// Returns the document on one line, without white space and with sorted keys. Each number has the
// fewest digits that give exactly this number when they are read back. json.dumps of Python writes
// the same text. (nlohmann's dump() writes one digit more for a few numbers in a thousand.)
std::string json_text(const Json& document);

// Returns the SHA-256 of a text, as 64 hexadecimal digits.
std::string sha256_hex(std::string_view text);

// Says how numbers are written: kShortest is the form that json_text writes, and kOfDump is the
// form that nlohmann's dump() writes.
enum class NumberText { kShortest, kOfDump };

// Leaves out one field of an object and returns the SHA-256 of the text of the rest. Neither the
// object nor its text is copied, since both may be large.
std::string sha256_hex_without(const Json& object, std::string_view field, NumberText numbers);

// Reads the fields of one JSON object. Error messages begin with `where`, which names the object,
// such as "model.json: schema.contexts[2]".
class JsonFields {
 public:
  JsonFields(const Json& object, std::string where);

  // Returns a value of any type; a missing field is an error.
  const Json& field(const std::string& name);
  bool has(const std::string& name) const;
  double number(const std::string& name);      // returns a number, which must be finite
  std::size_t count(const std::string& name);  // returns a whole number from 0 to 9e15
  std::string text(const std::string& name);
  bool flag(const std::string& name);
  // Returns a list of numbers, which must be finite.
  std::vector<double> numbers(const std::string& name);
  std::vector<std::string> texts(const std::string& name);
  const Json& array(const std::string& name);
  JsonFields object(const std::string& name);

  // Throws an Error if the object has a field that was not requested. This version of otss does not
  // know what such a field means.
  void finish() const;

  const std::string& where() const { return where_; }
  [[noreturn]] void fail(const std::string& name, std::string_view problem) const;

 private:
  const Json& object_;
  std::string where_;
  std::set<std::string> asked_;
};

}  // namespace otss::internal
