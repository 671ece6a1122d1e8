#include "report/trust/comparison_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>

#include "base/json.hpp"
#include "otss/base/error.hpp"
#include "otss/model/method.hpp"

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

// Returns the treatment of a row's settings. A file of an earlier version names none.
std::string treatment_of(const Json& method) {
  const auto found = method.is_object() ? method.find("treatment") : method.end();
  return found != method.end() && found->is_string() ? found->get<std::string>() : "";
}

ComparisonFacts comparison_of(JsonFields fields) {
  ComparisonFacts facts{
      .rows = fields.count("test_rows"),
      .repeats = static_cast<int>(std::min<std::size_t>(fields.count("repeats"), kMostRepeats)),
      .verdict = fields.text("verdict")};
  const Json& methods = fields.array("methods");
  // A deployed model averages its settings. It is compared with methods that do so too, if the file
  // has them.
  const bool averaged = std::ranges::any_of(
      methods, [](const Json& one) { return treatment_of(one) == word(Treatment::kAverage); });
  for (const Json& method : methods) {
    if (averaged && treatment_of(method) == word(Treatment::kPick)) continue;
    facts.methods.push_back(
        compared_method({method, fmt::format("methods[{}]", facts.methods.size())}));
  }
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
