#include "confidence.hpp"

#include <fmt/core.h>

#include "otss/base/error.hpp"

namespace otss::app {

void add_level(CLI::App& command, const std::string& name, double& level, const std::string& help) {
  const auto check = [](const std::string& text) -> std::string {
    double value = 0;
    const bool inside = CLI::detail::lexical_cast(text, value) && value > 0 && value < 1;
    return inside ? ""
                  : fmt::format(
                        "{} is not a confidence level; give a number above 0 and below 1, "
                        "such as 0.9",
                        text);
  };
  command.add_option(name, level, help)->check(CLI::Validator(check, ""))->type_name("LEVEL");
}

void require_uncertainty(const Fitted& fitted, const std::string& option) {
  if (fitted.has_uncertainty()) return;
  try {
    fitted.weight_map();
    fitted.uncertainty();
  } catch (const Error& error) {
    throw Error(ErrorCode::kUsage, fmt::format("{}: {}", option, error.what()));
  }
}

}  // namespace otss::app
