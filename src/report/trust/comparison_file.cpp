#include "report/trust/comparison_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>

#include "base/json.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// A comparison has at most some ten methods, so that a larger file is something else.
constexpr std::size_t kMostBytes = 1U << 20U;
constexpr int kMostRepeats = 1'000'000;

[[noreturn]] void refuse_comparison(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::kInput,
              fmt::format("{}: {}; give --compare a file that was made by otss compare … --json > "
                          "{}",
                          path, why, path));
}

std::string comparison_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse_comparison(path, "the file cannot be read");
  std::string text(kMostBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMostBytes)
    refuse_comparison(path, "the file is too large for a comparison of methods");
  return text;
}

// Returns a measure, which is null in the file if it is not defined.
double compared_measure(JsonFields& fields, const std::string& name) {
  return fields.field(name).is_null() ? kNotKnown : fields.number(name);
}

// The file has the loss of OTSS minus the loss of the method; the report shows the opposite.
ComparedFacts compared_method(JsonFields fields) {
  ComparedFacts facts{.method = fields.text("method"),
                      .log_loss = compared_measure(fields, "log_loss")};
  JsonFields difference = fields.object("otss_minus_method");
  facts.difference = {-compared_measure(difference, "log_loss"),
                      -compared_measure(difference, "hi"), -compared_measure(difference, "lo")};
  if (fields.has("seconds")) facts.seconds = compared_measure(fields, "seconds");
  return facts;
}

ComparisonFacts comparison_of(JsonFields fields) {
  ComparisonFacts facts{
      .rows = fields.count("test_rows"),
      .repeats = static_cast<int>(std::min<std::size_t>(fields.count("repeats"), kMostRepeats)),
      .verdict = fields.text("verdict")};
  for (const Json& method : fields.array("methods"))
    facts.methods.push_back(
        compared_method({method, fmt::format("methods[{}]", facts.methods.size())}));
  return facts;
}

}  // namespace

ComparisonFacts read_comparison(const std::string& path) {
  return comparison_from_text(comparison_text(path), path);
}

ComparisonFacts comparison_from_text(std::string_view text, const std::string& path) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) refuse_comparison(path, "the file is not a JSON document");
  try {
    return comparison_of({document, "the comparison"});
  } catch (const Error& error) {
    refuse_comparison(path, error.what());
  }
}

}  // namespace otss::internal
