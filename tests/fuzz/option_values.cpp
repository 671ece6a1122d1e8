// Fuzz target: what is read from the text of an option or a cell: lists of names, signs and bounds of
// weights, numbers. The first line of the input is --sign, the last is --bounds.
#include <optional>

#include "data/table/number_text.hpp"
#include "decide/milp/plan_number.hpp"
#include "learn/problem/constraints.hpp"
#include "otss/base/options.hpp"
#include "promises.hpp"

namespace otss::fuzz {
namespace {

// Writes a name as split_names reads it.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

void parse_names(const std::string& list) {
  const std::vector<std::string> names = split_names(list);
  std::string again;
  for (const std::string& name : names) again += (again.empty() ? "" : ",") + quoted(name);
  require(split_names(again) == names, "a list of quoted names has the same names");
}

void parse_constraints(const std::string& sign, const std::string& bounds) {
  static const Encoder encoder{.contexts = {},
                               .factors = {{"price", 0, 1}, {"a,b", 1, 2}, {"z=1", 0, 1e-9}}};
  accepts([&] {
    const internal::Box box = internal::parse_bounds(sign, bounds, encoder);
    for (std::size_t j = 0; j < box.lower.size(); ++j)
      require(box.lower[j] <= box.upper[j], "bounds of a weight are in order");
    internal::weight_bounds(box, encoder, internal::OutcomeUnits{});
  });
}

void parse_numbers(std::string_view text) {
  const std::optional<double> number = internal::parse_number(text);
  require(internal::is_number(text) == number.has_value(), "is_number says what parse_number does");
  if (internal::is_whole_number(text))
    require(number && *number == std::floor(*number), "a whole number is a number");
  if (const auto finite = internal::plan_number(text))
    require(std::isfinite(*finite), "a number of a plan is finite");
  if (const auto bound = internal::plan_bound(text))
    require(!std::isnan(*bound), "a bound of a plan is a number");
  if (!number || std::isnan(*number)) return;
  std::string written;
  internal::append_number(written, *number);
  require(internal::parse_number(written) == number, "a number that is written reads back");
}

}  // namespace
}  // namespace otss::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace otss::fuzz;
  const std::string_view text = text_of(data, size);
  const std::vector<std::string_view> lines = parts_of(text, '\n');
  for (const std::string_view line : lines) {
    parse_names(std::string(line));
    parse_numbers(line);
  }
  parse_constraints(std::string(lines.front()), std::string(lines.back()));
  const std::string shown = otss::printable(text);
  require(otss::printable(shown) == shown, "a printable text is shown as it is");
  return 0;
}
